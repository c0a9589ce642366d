-- title: A block of numbers
-- by_remainder: ranges 16, keys_read 751 of 10,000, 7,847 of 100,000
-- by_digits: ranges 1, keys_read 10,000 of 10,000, 100,000 of 100,000
-- worst: by_digits
--
-- Numbers that begin alike are one range in each of the sixteen remainders, since each keeps the order of the numbers.
-- Read backwards they have nothing in common, and a hundred thousand of them are too many to be sought one by one:
-- every call is read and asked.
SELECT phone, count(*) AS calls, sum(seconds) AS seconds
FROM phone_call
WHERE phone BETWEEN 13805000000 AND 13805099999
GROUP BY phone
ORDER BY calls DESC, phone
LIMIT 10;
