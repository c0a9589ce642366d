-- title: Five minutes of all machines
-- by_time: ranges 8, keys_read 140
-- by_arrival: ranges 8, keys_read 140
-- by_host: walk, keys_read <= 1,493 of 10,000, <= 1,833 of 100,000
--
-- By time and by arrival the five minutes are one range in each of the eight buckets. By host the walk goes through all pairs of a
-- machine and an event, and looks at one line too many on either side.
SELECT host, count(*) AS lines
FROM server_log
WHERE ts >= TIMESTAMP '2024-01-01 09:30:00' AND ts < TIMESTAMP '2024-01-01 09:35:00'
GROUP BY host
ORDER BY lines DESC, host
LIMIT 10;
