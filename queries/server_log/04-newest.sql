-- title: The newest lines
-- by_time: ranges 8, keys_read <= 80
-- by_arrival: ranges 8, keys_read <= 80
-- by_host: ranges 1, keys_read <= 10,000 of 10,000, <= 100,000 of 100,000
-- worst: by_host
--
-- By time and by arrival the ends of eight buckets are merged: 8 * 10. By host the newest lines stand anywhere: the whole table,
-- unless the scan learns on the way that what is older can be left out.
SELECT ts, host, event
FROM server_log
ORDER BY ts DESC
LIMIT 10;
