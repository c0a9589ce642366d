-- title: A year at one airport, by carrier
-- by_origin: ranges 1, keys_read 104,662
-- by_time: walk, keys_read <= 336,776
-- worst: by_time
--
-- By origin the airport is one range. By time the airport stands behind the time, which is open: the walk seeks it
-- anew at each minute at which something leaves, in each bucket. No key is read twice, so at most the whole table.
SELECT carrier, count(*) AS flights, sum(distance) AS miles
FROM flights
WHERE origin = 'LGA'
GROUP BY carrier
ORDER BY carrier;
