-- title: The eleventh page, by key
-- by_user: ranges 1, keys_read 20
--
-- The page starts behind the last message of the page before. A comparison of rows, in the order of the key, is one
-- range: the eleventh page costs what the first does.
SELECT day, message_id, sender, subject
FROM mailbox
WHERE user_id = 'ben.keller' AND (day, message_id) < (DATE '2024-02-02', 83021)
ORDER BY day DESC, message_id DESC
LIMIT 20;
