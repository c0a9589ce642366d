-- title: A day in all mailboxes
-- by_user: walk, keys_read <= 533
--
-- The user in front of the day is open: the walk goes from mailbox to mailbox, and looks at one message too many on
-- either side of the day in each of the 120.
SELECT user_id, count(*) AS messages
FROM mailbox
WHERE day = DATE '2024-01-10'
GROUP BY user_id
ORDER BY messages DESC, user_id
LIMIT 10;
