-- title: Half an hour of all films
-- by_time: ranges 1, keys_read 298
-- by_film: walk, keys_read <= 598
--
-- By time it is one range. By film the walk finds the half hour of each of the 150 films, and looks at one comment too
-- many on either side of it.
SELECT film_id, count(*) AS comments
FROM barrage
WHERE ts >= TIMESTAMP '2024-01-01 21:00:00' AND ts < TIMESTAMP '2024-01-01 21:30:00'
GROUP BY film_id
ORDER BY comments DESC, film_id
LIMIT 10;
