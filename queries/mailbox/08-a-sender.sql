-- title: Who has mail of a sender
-- by_user: ranges 1, keys_read 10,000 of 10,000, 100,000 of 100,000
-- worst: by_user
--
-- The sender is not in the key, and no mailbox is named: every message is read and asked.
SELECT user_id, count(*) AS messages
FROM mailbox
WHERE sender = 'build@ci.example'
GROUP BY user_id
ORDER BY messages DESC, user_id
LIMIT 10;
