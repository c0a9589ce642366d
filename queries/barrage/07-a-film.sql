-- title: All that was said of a film
-- by_film: ranges 1, keys_read 190 of 10,000, 1,920 of 100,000
-- by_time: walk, keys_read <= 10,000 of 10,000, <= 100,000 of 100,000
-- worst: by_time
--
-- By film it is one range. By time the film stands behind the time, and nearly every comment has a time of its own: the
-- walk looks for the film at each of them, and reads no key twice. At most the whole table.
SELECT words, count(*) AS times
FROM barrage
WHERE film_id = 1010
GROUP BY words
ORDER BY times DESC, words
LIMIT 10;
