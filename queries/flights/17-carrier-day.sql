-- title: One carrier's day at one airport
-- by_origin: walk, keys_read <= 331
--
-- Between the airport and the carrier stands the time, a range: the walk seeks the carrier at each minute of the day
-- at which something leaves. It reads no key twice and stays within the day, so at most what the day holds.
SELECT scheduled, flight, dest, tailnum, arr_delay
FROM flights
WHERE origin = 'JFK' AND carrier = 'DL'
  AND scheduled >= TIMESTAMP '2013-07-10' AND scheduled < TIMESTAMP '2013-07-11'
ORDER BY scheduled, flight;
