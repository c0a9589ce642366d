-- title: Where one aircraft went
-- by_tailnum: ranges 1, keys_read 575
-- by_origin: ranges 1, keys_read 336,776
-- by_time: ranges 4, keys_read 336,776
-- worst: by_origin
--
-- By tailnum the aircraft is one range. The other two keys do not hold the aircraft: each row is read and asked.
SELECT dest, count(*) AS flights
FROM flights
WHERE tailnum = 'N725MQ'
GROUP BY dest
ORDER BY flights DESC, dest;
