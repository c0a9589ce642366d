-- title: The newest comments on a film
-- by_film: ranges 1, keys_read 10
--
-- The film is one range, newest first: its first ten keys.
SELECT ts, user_id, at_second, words
FROM barrage
WHERE film_id = 1003
ORDER BY ts DESC
LIMIT 10;
