-- title: Everything of a machine in ten minutes
-- tall: walk, keys_read <= 120
-- wide: ranges 1, keys_read 10
-- worst: tall
--
-- Tall, the metric in front of the time is open: the walk goes through the ten metrics, and looks at one value too many
-- on either side of the ten minutes. 10 * 10 and 2 * 10. Wide, ten keys hold all of it.
SELECT ts, count(*) AS metrics, max(value) AS highest
FROM series_tall
WHERE host = 'host-05' AND ts >= TIMESTAMP '2024-01-01 00:30:00' AND ts < TIMESTAMP '2024-01-01 00:40:00'
GROUP BY ts
ORDER BY ts;

SELECT ts, 10 AS metrics, greatest(cpu_user, cpu_system, cpu_idle, cpu_iowait, cpu_steal, memory_used, memory_cached,
                                   disk_used, net_in, net_out) AS highest
FROM series_wide
WHERE host = 'host-05' AND ts >= TIMESTAMP '2024-01-01 00:30:00' AND ts < TIMESTAMP '2024-01-01 00:40:00'
ORDER BY ts;
