-- title: The state of an order at a moment
-- by_order: ranges 1, keys_read 1
--
-- The state that held then is the newest that is not newer: the range begins at the moment, and its first key is the
-- answer.
SELECT state, ts
FROM order_state
WHERE order_id = '20240101-0012' AND ts <= TIMESTAMP '2024-01-03 12:00:00'
ORDER BY ts DESC
LIMIT 1;
