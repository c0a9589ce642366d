-- title: Four metrics side by side
-- tall: ranges 4, keys_read 120
-- wide: ranges 1, keys_read 30
--
-- Tall, each metric is a range, and four keys are put together to one row again: 4 * 30. Wide, they are one row
-- already.
SELECT ts, max(CASE WHEN metric = 'cpu_user' THEN value END) AS cpu_user,
       max(CASE WHEN metric = 'cpu_system' THEN value END) AS cpu_system,
       max(CASE WHEN metric = 'cpu_iowait' THEN value END) AS cpu_iowait,
       max(CASE WHEN metric = 'cpu_steal' THEN value END) AS cpu_steal
FROM series_tall
WHERE host = 'host-02' AND metric IN ('cpu_user', 'cpu_system', 'cpu_iowait', 'cpu_steal')
  AND ts >= TIMESTAMP '2024-01-01 00:10:00' AND ts < TIMESTAMP '2024-01-01 00:40:00'
GROUP BY ts
ORDER BY ts;

SELECT ts, cpu_user, cpu_system, cpu_iowait, cpu_steal
FROM series_wide
WHERE host = 'host-02'
  AND ts >= TIMESTAMP '2024-01-01 00:10:00' AND ts < TIMESTAMP '2024-01-01 00:40:00'
ORDER BY ts;
