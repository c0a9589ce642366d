-- title: The first page of a mailbox
-- by_user: ranges 1, keys_read 20
--
-- The mailbox is one range, read from its end: newest first, without a sort. The limit stops it.
SELECT day, message_id, sender, subject
FROM mailbox
WHERE user_id = 'ben.keller' AND day <= DATE '2024-02-12'
ORDER BY day DESC, message_id DESC
LIMIT 20;
