-- title: One call
-- by_remainder: ranges 1, keys_read 1
-- by_digits: ranges 1, keys_read 1
--
-- Phone and time are the whole key; the remainder follows from the phone.
SELECT phone, ts, other, seconds, incoming
FROM phone_call
WHERE phone = 13805374168 AND ts = TIMESTAMP '2024-01-02 21:41:20.444';
