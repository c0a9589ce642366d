-- title: Everything a user did
-- by_kind: ranges 16, keys_read 10,000 of 10,000, 1,000,000 of 1,000,000
-- worst: by_kind
--
-- The user is nowhere in the key: every event is read and asked. A table that is asked this needs a layout by user
-- beside this one.
SELECT event_id, count(*) AS events, min(day) AS first_day
FROM event
WHERE user_id = 'u00040'
GROUP BY event_id
ORDER BY events DESC, event_id;
