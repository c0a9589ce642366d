-- title: The current state of an order
-- by_order: ranges 1, keys_read 1
--
-- The newest state stands first: one key is read, however long the history.
SELECT state, ts
FROM order_state
WHERE order_id = '20240101-0012'
ORDER BY ts DESC
LIMIT 1;
