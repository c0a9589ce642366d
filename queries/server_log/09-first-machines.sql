-- title: The first machines by name
-- by_host: ranges 1, keys_read <= 10
-- by_number: ranges 1, keys_read <= 10,000 of 10,000, <= 100,000 of 100,000
-- worst: by_number
--
-- By host the table begins with them. By number it begins with the machine that came first: the whole table, unless
-- the scan learns on the way which names it can leave out.
SELECT host, event, ts
FROM server_log
ORDER BY host, event, ts
LIMIT 10;
