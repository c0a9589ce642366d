-- title: Where disks were full in a morning
-- by_host: walk, keys_read <= 244 of 10,000, <= 249 of 100,000
-- by_hash: walk, keys_read <= 244 of 10,000, <= 249 of 100,000
-- by_number: walk, keys_read <= 244 of 10,000, <= 249 of 100,000
--
-- The machine in front of the event is open: the walk seeks the event at each of the 80 machines, and looks at no more
-- than one line on either side of it.
SELECT host, count(*) AS lines
FROM server_log
WHERE event = 'disk.full' AND ts < TIMESTAMP '2024-01-01 12:00:00'
GROUP BY host
ORDER BY lines DESC, host;
