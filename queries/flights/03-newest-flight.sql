-- title: The newest flight of an aircraft
-- by_tailnum: ranges 1, keys_read 1
--
-- One aircraft is one range of one bucket, and its newest flight stands first: no sort, and no second key.
SELECT scheduled, carrier, flight, origin, dest
FROM flights
WHERE tailnum = 'N14228'
ORDER BY scheduled DESC
LIMIT 1;
