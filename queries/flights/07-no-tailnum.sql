-- title: Flights without an aircraft
-- by_tailnum: ranges 1, keys_read 2,512
--
-- NULL has a bucket and a place in the order of the key, as any other value has: one range. These flights were
-- cancelled before they had an aircraft.
SELECT carrier, count(*) AS flights, count(dep_delay) AS departed
FROM flights
WHERE tailnum IS NULL
GROUP BY carrier
ORDER BY flights DESC, carrier;
