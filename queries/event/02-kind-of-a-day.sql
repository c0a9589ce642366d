-- title: A day of one kind of event
-- by_kind: ranges 16, keys_read 116
--
-- Kind and day are pinned, the salt is not: one range in each of the sixteen buckets, and nothing beside what is asked
-- for.
SELECT kafka_offset, user_id, props
FROM event
WHERE event_id = 7 AND day = DATE '2024-01-02'
ORDER BY kafka_offset;
