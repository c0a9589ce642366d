-- title: Three phones on the first day
-- by_remainder: ranges 3, keys_read 45
-- by_digits: ranges 3, keys_read 45
--
-- Each phone is a range of its own, in the place that its remainder or its last digits give it.
SELECT phone, count(*) AS calls, max(seconds) AS longest
FROM phone_call
WHERE phone IN (13805374168, 15922336759, 18601723259) AND ts < TIMESTAMP '2024-01-02'
GROUP BY phone
ORDER BY phone;
