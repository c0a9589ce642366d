-- title: The other two airports
-- by_origin: ranges 2, keys_read 225,497
--
-- "Not JFK" is what stands before it and what stands behind it.
SELECT origin, count(*) AS flights, count(DISTINCT dest) AS destinations
FROM flights
WHERE origin <> 'JFK'
GROUP BY origin
ORDER BY origin;
