-- title: One line
-- by_time: ranges 1, keys_read 1
-- by_host: ranges 1, keys_read 1
-- by_hash: ranges 1, keys_read 1
-- by_number: ranges 1, keys_read 1
-- by_arrival: ranges 8, keys_read 1
--
-- The whole key is known under the first four layouts, bucket, hashes and numbers included. By arrival nobody knows the bucket:
-- the moment is looked up in all eight, and found in one.
SELECT ts, host, event, message
FROM server_log
WHERE host = 'web-07' AND event = 'gc.pause' AND ts = TIMESTAMP '2024-01-01 10:12:47.896';
