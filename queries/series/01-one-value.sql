-- title: One value
-- tall: ranges 1, keys_read 1
-- wide: ranges 1, keys_read 1
--
-- One key of one value, or one key of ten, nine of which are passed over.
SELECT value
FROM series_tall
WHERE host = 'host-07' AND metric = 'cpu_user' AND ts = TIMESTAMP '2024-01-01 00:20:00';

SELECT cpu_user AS value
FROM series_wide
WHERE host = 'host-07' AND ts = TIMESTAMP '2024-01-01 00:20:00';
