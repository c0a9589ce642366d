-- title: A day at one airport
-- by_origin: ranges 1, keys_read 331
--
-- The airport is pinned and the day is a range behind it: one range, which holds nothing else.
SELECT scheduled, carrier, flight, dest, dep_delay
FROM flights
WHERE origin = 'JFK' AND scheduled >= TIMESTAMP '2013-07-10' AND scheduled < TIMESTAMP '2013-07-11'
ORDER BY scheduled, carrier, flight;
