-- title: A rainy day, hour by hour
-- by_origin: ranges 2, keys_read 374
--
-- One range of flights, 05:00 to 22:00 in New York, and one of weather, the same hours in UTC: 357 and 17.
SELECT w.time_hour, w.precip, w.visib, count(*) AS flights, avg(f.dep_delay) AS avg_delay
FROM flights f
JOIN weather w
  ON w.origin = f.origin AND w.time_hour = date_trunc('hour', f.scheduled AT TIME ZONE 'America/New_York')
WHERE f.origin = 'EWR' AND w.origin = 'EWR'
  AND f.scheduled >= TIMESTAMP '2013-06-07 05:00:00' AND f.scheduled < TIMESTAMP '2013-06-07 22:00:00'
  AND w.time_hour >= TIMESTAMPTZ '2013-06-07 09:00:00Z' AND w.time_hour < TIMESTAMPTZ '2013-06-08 02:00:00Z'
GROUP BY w.time_hour, w.precip, w.visib
ORDER BY w.time_hour;
