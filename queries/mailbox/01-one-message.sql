-- title: One message
-- by_user: ranges 1, keys_read 1
--
-- The whole key is known.
SELECT day, message_id, sender, subject, bytes
FROM mailbox
WHERE user_id = 'ben.keller' AND day = DATE '2024-02-05' AND message_id = 84070;
