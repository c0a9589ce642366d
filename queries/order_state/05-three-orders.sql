-- title: Three orders
-- by_order: ranges 3, keys_read 13
--
-- Each order is a range of its own, wherever its reversed number has put it.
SELECT order_id, ts, state
FROM order_state
WHERE order_id IN ('20240101-0023', '20240102-0007', '20240105-0101')
ORDER BY order_id, ts DESC;
