-- title: New Year's Eve of the aircraft N37…
-- by_tailnum: walk, keys_read <= 146
--
-- The registrations that start so are not listed in the query: in each bucket the walk goes from one to the next, takes
-- the flights of the day, which stand first, and looks at one older flight: 28 flights and 118 aircraft.
SELECT tailnum, scheduled, carrier, flight, origin, dest
FROM flights
WHERE tailnum LIKE 'N37%' AND scheduled >= TIMESTAMP '2013-12-31'
ORDER BY tailnum, scheduled DESC;
