-- title: An hour at all airports
-- by_time: ranges 4, keys_read 56
-- by_origin: walk, keys_read <= 62
--
-- By time the hour is one range in each of the four buckets. By origin the airport in front is open: the walk finds the
-- three there are, and at each it looks at one flight too many on either side of the hour: 56 + 2 * 3.
SELECT origin, count(*) AS flights, sum(CASE WHEN dep_delay > 0 THEN 1 ELSE 0 END) AS late
FROM flights
WHERE date_trunc('hour', scheduled) = TIMESTAMP '2013-07-04 08:00:00'
GROUP BY origin
ORDER BY origin;
