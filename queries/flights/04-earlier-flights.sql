-- title: The next page of an aircraft's history
-- by_tailnum: ranges 1, keys_read 5
--
-- A page starts behind the last row of the page before. Newest first means that the range starts at the bound and runs
-- to the aircraft's first flight; the limit stops it after five keys.
SELECT scheduled, carrier, flight, origin, dest
FROM flights
WHERE tailnum = 'N14228' AND scheduled < TIMESTAMP '2013-10-24 08:34:00'
ORDER BY scheduled DESC
LIMIT 5;
