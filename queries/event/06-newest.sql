-- title: The newest session starts
-- by_kind: ranges 16, keys_read <= 160
--
-- The buckets are merged from their ends, so there is nothing to sort: no bucket gives more than the ten that are
-- wanted, 16 * 10.
SELECT day, kafka_offset, user_id
FROM event
WHERE event_id = 1
ORDER BY day DESC, kafka_offset DESC
LIMIT 10;
