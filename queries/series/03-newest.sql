-- title: The newest values of a metric
-- tall: ranges 1, keys_read 5
-- wide: ranges 1, keys_read 5
--
-- The end of one range, read backwards: five keys.
SELECT ts, value
FROM series_tall
WHERE host = 'host-13' AND metric = 'cpu_user'
ORDER BY ts DESC
LIMIT 5;

SELECT ts, cpu_user AS value
FROM series_wide
WHERE host = 'host-13'
ORDER BY ts DESC
LIMIT 5;
