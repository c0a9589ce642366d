-- title: Two kinds on one day
-- by_kind: ranges 32, keys_read 54
--
-- Two kinds in sixteen buckets: thirty-two ranges. What stands between the two kinds is not read.
SELECT event_id, user_id, count(*) AS events
FROM event
WHERE event_id IN (22, 24) AND day = DATE '2024-01-03'
GROUP BY event_id, user_id
ORDER BY event_id, user_id;
