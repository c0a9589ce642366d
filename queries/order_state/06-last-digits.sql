-- title: Orders by their last digits
-- by_order: ranges 1, keys_read 50 of 10,000, 509 of 100,000
--
-- What people remember of a number is its end. Backwards it is a beginning: one range.
SELECT order_id, count(*) AS states, max(ts) AS newest
FROM order_state
WHERE order_id LIKE '%-0042'
GROUP BY order_id
ORDER BY order_id;
