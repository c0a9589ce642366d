-- title: A week of the largest mailbox
-- by_user: ranges 1, keys_read 280
--
-- A stretch of days in one mailbox is one range.
SELECT day, count(*) AS messages, sum(bytes) AS bytes
FROM mailbox
WHERE user_id = 'maria.keller' AND day >= DATE '2024-01-08' AND day < DATE '2024-01-15'
GROUP BY day
ORDER BY day;
