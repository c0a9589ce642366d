-- title: Two airports, each at its own time
-- by_origin: ranges 2, keys_read 77
--
-- What belongs together stays together: two ranges, not two airports times two hours.
SELECT origin, scheduled, carrier, flight, dest
FROM flights
WHERE (origin = 'JFK' AND scheduled BETWEEN TIMESTAMP '2013-02-01 08:00:00' AND TIMESTAMP '2013-02-01 08:59:00')
   OR (origin = 'EWR' AND scheduled BETWEEN TIMESTAMP '2013-02-01 17:00:00' AND TIMESTAMP '2013-02-01 18:59:00')
ORDER BY origin, scheduled, carrier, flight;
