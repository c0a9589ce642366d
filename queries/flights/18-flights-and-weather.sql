-- title: The year's flights and their weather
-- by_origin: ranges 2, keys_read 362,891
-- by_tailnum: ranges 9, keys_read 362,891
-- by_time: ranges 5, keys_read 362,891
--
-- 336,776 flights and 26,115 hours of weather are read whole; the numbers are those of both scans. Flights leave by New
-- York's clocks, the weather is in UTC: 335,220 flights have weather. Comparing the clocks as they stand finds 335,498,
-- all with the weather of another hour.
SELECT count(*) AS flights, count(w.wind_gust) AS in_gusts
FROM flights f
JOIN weather w
  ON w.origin = f.origin AND w.time_hour = date_trunc('hour', f.scheduled AT TIME ZONE 'America/New_York');
