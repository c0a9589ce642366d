-- title: Two days of a phone
-- by_remainder: ranges 1, keys_read 18
-- by_digits: ranges 1, keys_read 18
--
-- The days behind the phone are one range.
SELECT CAST(ts AS DATE) AS day, count(*) AS calls, sum(seconds) AS seconds
FROM phone_call
WHERE phone = 13805374168 AND ts >= TIMESTAMP '2024-01-03' AND ts < TIMESTAMP '2024-01-05'
GROUP BY CAST(ts AS DATE)
ORDER BY day;
