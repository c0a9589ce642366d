-- title: All machines of a name that begins alike
-- by_host: ranges 1, keys_read 884 of 10,000, 8,746 of 100,000
-- by_hash: ranges 1, keys_read 10,000 of 10,000, 100,000 of 100,000
-- worst: by_hash
--
-- By host they stand together. A hash leaves nothing of what names have in common: every line is read and asked.
SELECT host, count(*) AS lines
FROM server_log
WHERE host LIKE 'db-%'
GROUP BY host
ORDER BY host;
