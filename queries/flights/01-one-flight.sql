-- title: One flight
-- by_origin: ranges 1, keys_read 1
-- by_time: ranges 1, keys_read 1
-- by_tailnum: walk, keys_read <= 8,089
-- worst: by_tailnum
--
-- The four columns that tell flights apart make a whole row key by origin. By time the salt is computed from the same
-- four, so a single bucket is asked. By tailnum nothing says which aircraft it was: the walk looks at most twice at each
-- of the 4,043 aircraft, and at the flights without one: at the newest, and at the first that is not later than the one
-- asked for. 2 * 4,044, and the flight itself.
SELECT scheduled, carrier, flight, origin, dest, tailnum, dep_delay, arr_delay
FROM flights
WHERE scheduled = TIMESTAMP '2013-01-09 09:00:00' AND origin = 'JFK' AND carrier = 'HA' AND flight = 51;
