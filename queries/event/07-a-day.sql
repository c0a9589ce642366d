-- title: A day of all kinds
-- by_kind: walk, keys_read <= 3,235
--
-- The kind in front of the day is open: in each bucket the walk goes from kind to kind, and looks at one event too many
-- on either side of the day. The day's events and 2 * 16 * 24.
SELECT event_id, count(*) AS events
FROM event
WHERE day = DATE '2024-01-02'
GROUP BY event_id
ORDER BY event_id;
