-- title: The orders of a day
-- by_order: ranges 1, keys_read 10,000 of 10,000, 100,000 of 100,000
-- worst: by_order
--
-- The day leads the number, and so it ends the key, where it helps nobody: every row is read. That is the price of the
-- reversal. A table that is asked this keeps the day as a column of its own, in another layout.
SELECT state, count(*) AS orders
FROM order_state
WHERE order_id LIKE '20240103-%'
GROUP BY state
ORDER BY orders DESC, state;
