-- title: The history of an order
-- by_order: ranges 1, keys_read 7
--
-- One order is one range. `reverse` loses nothing, so that the equal sign works as on the number itself.
SELECT ts, state, warehouse
FROM order_state
WHERE order_id = '20240101-0012'
ORDER BY ts DESC;
