-- title: Three days of a rare kind
-- by_kind: ranges 16, keys_read 72
--
-- The days behind the pinned kind are one stretch of each bucket.
SELECT day, count(*) AS events, count(DISTINCT user_id) AS users
FROM event
WHERE event_id = 24 AND day BETWEEN DATE '2024-01-01' AND DATE '2024-01-03'
GROUP BY day
ORDER BY day;
