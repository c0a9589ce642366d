-- title: The newest comments
-- by_time: ranges 1, keys_read 10
-- by_film: ranges 1, keys_read <= 10,000 of 10,000, <= 100,000 of 100,000
-- worst: by_film
--
-- By time they are the first ten keys. By film the newest of each film stand apart, and nothing says which film has
-- them: the whole table, unless the scan learns on the way that what is older can be left out.
SELECT ts, film_id, user_id, words
FROM barrage
ORDER BY ts DESC
LIMIT 10;
