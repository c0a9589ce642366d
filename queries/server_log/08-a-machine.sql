-- title: Everything of one machine
-- by_host: ranges 1, keys_read 78 of 10,000, 763 of 100,000
-- by_hash: ranges 1, keys_read 78 of 10,000, 763 of 100,000
-- by_number: ranges 1, keys_read 78 of 10,000, 763 of 100,000
-- by_time: walk, keys_read <= 10,000 of 10,000, <= 100,000 of 100,000
-- worst: by_time
--
-- By host, by hash and by number the machine is one range. By time it stands behind the time, and nearly every line has a time of
-- its own: the walk looks for the machine at each of them. At most the whole table.
SELECT event, count(*) AS lines, min(ts) AS first_seen
FROM server_log
WHERE host = 'db-03'
GROUP BY event
ORDER BY event;
