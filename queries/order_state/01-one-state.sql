-- title: One state of an order
-- by_order: ranges 1, keys_read 1
--
-- Order and time are the whole key, however its parts are turned: one key.
SELECT order_id, ts, state, customer, warehouse
FROM order_state
WHERE order_id = '20240101-0012' AND ts = TIMESTAMP '2024-01-02 01:02:52.226';
