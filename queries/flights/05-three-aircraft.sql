-- title: December of three aircraft
-- by_tailnum: ranges 3, keys_read 176
--
-- A list decides its buckets value by value: three ranges, each in the bucket of its aircraft, not three times eight.
SELECT tailnum, count(*) AS flights, sum(distance) AS miles, sum(air_time) AS minutes
FROM flights
WHERE tailnum IN ('N813MQ', 'N839MQ', 'N324JB') AND scheduled >= TIMESTAMP '2013-12-01'
GROUP BY tailnum
ORDER BY tailnum;
