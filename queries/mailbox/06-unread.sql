-- title: What is unread of that week
-- by_user: ranges 1, keys_read 280
--
-- Whether a message is unread changes, and so it is no part of the key: it is asked of each message of the week.
SELECT day, message_id, sender, subject
FROM mailbox
WHERE user_id = 'maria.keller' AND day >= DATE '2024-01-08' AND day < DATE '2024-01-15' AND unread
ORDER BY day DESC, message_id DESC;
