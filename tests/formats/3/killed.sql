-- What the second process writes before it is killed: a load in sorted files, and what is in the log alone.
CREATE TABLE line (
    customer_id INT, order_id BIGINT, line_id INT, product TEXT,
    PRIMARY KEY (customer_id, 'line', order_id, line_id)
) WITH (keyspace = 'shop');
SET halite.statement_memory = 1;
INSERT INTO line SELECT 1, 10 + i % 2, i, 'product ' || i FROM generate_series(1, 6) AS s (i);
INSERT INTO dealt VALUES ('2024-01-02', 4), ('2024-01-03', 5);
SET halite.statement_memory = 134217728;
DELETE FROM line WHERE line_id = 3;
UPDATE orders SET state = 'done' WHERE order_id = 11;
INSERT INTO customer VALUES (5, 'in the log');
ALTER TABLE customer ADD COLUMN city TEXT DEFAULT 'Basel';
ALTER TABLE numbered_2 RENAME TO renumbered;
INSERT INTO dealt_wide VALUES (8, 'in the log');
CREATE TABLE logged (customer_id INT, PRIMARY KEY (customer_id, 'logged')) WITH (keyspace = 'shop');
INSERT INTO logged VALUES (1);
