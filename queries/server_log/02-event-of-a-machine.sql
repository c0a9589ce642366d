-- title: An hour of one event on one machine
-- by_host: ranges 1, keys_read 13
-- by_hash: ranges 1, keys_read 13
-- by_number: ranges 1, keys_read 13
-- by_arrival: ranges 8, keys_read 1,896
-- worst: by_arrival
--
-- The names are pinned, or their hashes or numbers are, and the hour behind them is one range. By arrival the names are in no key:
-- all lines of the hour are read in the eight buckets, and asked.
SELECT ts, message
FROM server_log
WHERE host = 'web-07' AND event = 'gc.pause'
  AND ts >= TIMESTAMP '2024-01-01 10:00:00' AND ts < TIMESTAMP '2024-01-01 11:00:00'
ORDER BY ts;
