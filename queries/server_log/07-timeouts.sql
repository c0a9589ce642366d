-- title: Slow requests that timed out
-- by_host: ranges 1, keys_read 155
-- by_hash: ranges 1, keys_read 155
-- by_number: ranges 1, keys_read 155
--
-- The words of a line are in no key: they are asked of each line of the range.
SELECT ts, message
FROM server_log
WHERE host = 'web-08' AND event = 'request.slow' AND ts < TIMESTAMP '2024-01-01 12:00:00'
  AND message LIKE '%timeout%'
ORDER BY ts;
