-- title: The next page of the timetable, airport by airport
-- by_origin: ranges 1, keys_read 20
--
-- A tuple comparison over the columns of the key, in the order of the key, is one range that starts behind the tuple;
-- it goes on where the next airport begins. The limit stops it.
SELECT origin, scheduled, carrier, flight, dest
FROM flights
WHERE (origin, scheduled, carrier, flight) > ('JFK', TIMESTAMP '2013-12-31 22:45:00', 'B6', 234)
ORDER BY origin, scheduled, carrier, flight
LIMIT 20;
