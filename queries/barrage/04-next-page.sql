-- title: The next page of a film
-- by_film: ranges 1, keys_read 10
--
-- The range starts behind the last comment of the page before. No page costs more than the first.
SELECT ts, user_id, at_second, words
FROM barrage
WHERE film_id = 1003 AND ts < TIMESTAMP '2024-01-01 21:00:00'
ORDER BY ts DESC
LIMIT 10;
