-- title: The first machine by name
-- by_host: ranges 1, keys_read 1
-- by_number: ranges 1, keys_read <= 10,000 of 10,000, <= 100,000 of 100,000
-- worst: by_number
--
-- By host the table begins with it. By number it begins with the machine that came first: every line is
-- read, unless the scan learns on the way that others can be left out.
SELECT min(host) AS first
FROM server_log;
