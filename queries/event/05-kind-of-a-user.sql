-- title: What one user did of a kind on a day
-- by_kind: ranges 16, keys_read 315
--
-- The user is not in the key: all events of the kind and day are read, and those of the user are kept.
SELECT kafka_offset, props
FROM event
WHERE event_id = 3 AND day = DATE '2024-01-02' AND user_id = 'u01315'
ORDER BY kafka_offset;
