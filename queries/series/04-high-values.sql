-- title: When a machine was busy
-- tall: ranges 1, keys_read 50
-- wide: ranges 1, keys_read 50
--
-- A value is in no key: it is asked of each of the fifty.
SELECT ts, value
FROM series_tall
WHERE host = 'host-04' AND metric = 'cpu_user' AND ts < TIMESTAMP '2024-01-01 00:50:00' AND value > 95
ORDER BY ts;

SELECT ts, cpu_user AS value
FROM series_wide
WHERE host = 'host-04' AND ts < TIMESTAMP '2024-01-01 00:50:00' AND cpu_user > 95
ORDER BY ts;
