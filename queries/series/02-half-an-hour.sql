-- title: Half an hour of one metric
-- tall: ranges 1, keys_read 30
-- wide: ranges 1, keys_read 30
--
-- Thirty minutes are one range of thirty keys either way; wide ones are ten times as long.
SELECT ts, value
FROM series_tall
WHERE host = 'host-13' AND metric = 'cpu_user'
  AND ts >= TIMESTAMP '2024-01-01 00:10:00' AND ts < TIMESTAMP '2024-01-01 00:40:00'
ORDER BY ts;

SELECT ts, cpu_user AS value
FROM series_wide
WHERE host = 'host-13'
  AND ts >= TIMESTAMP '2024-01-01 00:10:00' AND ts < TIMESTAMP '2024-01-01 00:40:00'
ORDER BY ts;
