-- title: A tenth of the orders, looked through for lost ones
-- by_order: ranges 1, keys_read 994 of 10,000, 9,970 of 100,000
--
-- The last digit cuts the table in ten parts that ten workers can take. The state is not in the key: it is asked of
-- each row of the part.
SELECT order_id, ts, warehouse
FROM order_state
WHERE order_id LIKE '%7' AND state = 'lost'
ORDER BY order_id;
