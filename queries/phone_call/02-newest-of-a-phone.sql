-- title: The newest calls of a phone
-- by_remainder: ranges 1, keys_read 10
-- by_digits: ranges 1, keys_read 10
--
-- One phone is one range, newest first: its first ten keys.
SELECT ts, other, seconds, incoming
FROM phone_call
WHERE phone = 13805374168
ORDER BY ts DESC
LIMIT 10;
