-- title: One metric of all machines
-- tall: walk, keys_read <= 1,300 of 10,000, <= 12,550 of 100,000
-- wide: ranges 1, keys_read 1,000 of 10,000, 10,000 of 100,000
-- worst: wide
--
-- Tall, the walk goes to the metric of each of the twenty machines, past nine tenths of the table. Wide, the whole
-- table is read for a tenth of what it holds: as many keys, ten times the bytes.
SELECT host, min(value) AS lowest, max(value) AS highest
FROM series_tall
WHERE metric = 'disk_used'
GROUP BY host
ORDER BY host;

SELECT host, min(disk_used) AS lowest, max(disk_used) AS highest
FROM series_wide
GROUP BY host
ORDER BY host;
