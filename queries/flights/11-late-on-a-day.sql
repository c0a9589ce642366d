-- title: Late flights of a day at one airport
-- by_origin: ranges 1, keys_read 331
--
-- The delay is not in the key: it stays behind as a filter, and all flights of the day are read.
SELECT scheduled, carrier, flight, dest, dep_delay
FROM flights
WHERE origin = 'JFK' AND CAST(scheduled AS DATE) = DATE '2013-07-10' AND dep_delay > 120
ORDER BY scheduled, carrier, flight;
