-- title: The first departures of a day
-- by_time: ranges 4, keys_read <= 40
--
-- Four buckets, each in the order of time, are merged: no sort. No bucket can give more than the ten rows that are
-- wanted: 4 * 10.
SELECT scheduled, origin, carrier, flight, dest
FROM flights
WHERE scheduled >= TIMESTAMP '2013-07-04'
ORDER BY scheduled, origin, carrier, flight
LIMIT 10;
