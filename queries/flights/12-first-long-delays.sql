-- title: The first long delays of the year
-- by_origin: ranges 1, keys_read <= 8,192
--
-- The rows come in the order that is asked for, so the scan ends with the tenth that passes the filter. That is the
-- 1,301st of 111,279 flights; a scan may read on to the end of its batch of 8,192.
SELECT scheduled, carrier, flight, dest, dep_delay
FROM flights
WHERE origin = 'JFK' AND dep_delay >= 180
ORDER BY scheduled, carrier, flight
LIMIT 10;
