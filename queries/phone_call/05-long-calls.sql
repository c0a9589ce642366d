-- title: Long calls of a phone
-- by_remainder: ranges 1, keys_read 112 of 10,000, 1,174 of 100,000
-- by_digits: ranges 1, keys_read 112 of 10,000, 1,174 of 100,000
--
-- How long a call took is not in the key: it is asked of each call of the phone.
SELECT ts, other, seconds
FROM phone_call
WHERE phone = 13805374168 AND seconds > 1500
ORDER BY ts;
