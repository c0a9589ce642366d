-- title: Calls by the last four digits
-- by_digits: ranges 1, keys_read 15 of 10,000, 160 of 100,000
-- by_remainder: ranges 1, keys_read 842 of 10,000, 8,233 of 100,000
-- worst: by_remainder
--
-- The last four digits are the first four of the reversed number: one range. They tell the remainder, too, since 16
-- divides 10,000; but behind it the numbers stand in their own order, so every call of the sixteenth is read and asked.
SELECT phone, count(*) AS calls
FROM phone_call
WHERE phone % 10000 = 4206
GROUP BY phone
ORDER BY phone;
