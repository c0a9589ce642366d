-- title: The eleventh page, by OFFSET
-- by_user: ranges 1, keys_read 220
--
-- The same twenty messages. What OFFSET passes over must be read: 200 keys, and then the page.
SELECT day, message_id, sender, subject
FROM mailbox
WHERE user_id = 'ben.keller' AND day <= DATE '2024-02-12'
ORDER BY day DESC, message_id DESC
LIMIT 20 OFFSET 200;
