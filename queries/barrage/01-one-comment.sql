-- title: One comment
-- by_time: ranges 1, keys_read 1
-- by_film: ranges 1, keys_read 1
--
-- All three columns are known: one key under both layouts.
SELECT film_id, ts, user_id, at_second, words
FROM barrage
WHERE film_id = 1007 AND ts = TIMESTAMP '2024-01-01 21:02:27.647' AND user_id = 'viewer0211';
