-- title: All aircraft whose registration starts with N25
-- by_tailnum: ranges 8, keys_read 1,006
--
-- A prefix does not tell the bucket, so the one range becomes one in each of the eight buckets.
SELECT tailnum, count(*) AS flights, min(dest) AS first_dest, max(dest) AS last_dest
FROM flights
WHERE tailnum LIKE 'N25%'
GROUP BY tailnum
ORDER BY tailnum;
