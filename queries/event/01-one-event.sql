-- title: One event
-- by_kind: ranges 1, keys_read 1
--
-- All parts that the salt is computed from are known, so the bucket is known: one key in one of sixteen buckets. A salt
-- that was drawn at random would have to be looked for in all of them.
SELECT event_id, day, kafka_offset, user_id, props
FROM event
WHERE event_id = 5 AND day = DATE '2024-01-02' AND kafka_offset = 4200003062;
