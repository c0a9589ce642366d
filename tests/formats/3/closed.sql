-- What the first process writes before it closes the database in order: what definitions of format 2 cannot say.

-- Several tables in one run of keys.
CREATE TABLE customer (customer_id INT, name TEXT, PRIMARY KEY (customer_id, 'customer')) WITH (keyspace = 'shop');
CREATE TABLE orders (
    customer_id INT, order_id BIGINT, state TEXT, placed TIMESTAMP(3),
    PRIMARY KEY (customer_id, 'order', order_id DESC)
) WITH (keyspace = 'shop');
CREATE TABLE dropped (customer_id INT, PRIMARY KEY (customer_id, 'dropped')) WITH (keyspace = 'shop');
CREATE TABLE emptied (customer_id INT, v TEXT, PRIMARY KEY (customer_id, 'emptied')) WITH (keyspace = 'shop');
INSERT INTO customer VALUES (1, 'Ada'), (-7, 'Grace'), (2147483647, NULL);
INSERT INTO orders VALUES (1, 10, 'paid', '2024-01-01 10:00:00.125'), (1, 11, 'sent', NULL), (-7, -1, NULL, '1969-12-31'),
    (5, 1, 'nobody''s', NULL);
INSERT INTO dropped VALUES (1), (2);
DROP TABLE dropped;
INSERT INTO emptied VALUES (1, 'a'), (-7, 'b');
TRUNCATE TABLE emptied;
INSERT INTO emptied VALUES (1, 'again');

-- The constant first, in between and last; salted, of text and of numbers, and with NULL.
CREATE TABLE first_a (host TEXT NULL, ts TIMESTAMP(6), v DOUBLE, PRIMARY KEY (salt(4), 'a', host, ts DESC)) WITH (keyspace = 'log');
CREATE TABLE first_b (host TEXT NULL, ts TIMESTAMP(6), w INT[], PRIMARY KEY (salt(4), 'b', host, ts DESC)) WITH (keyspace = 'log');
INSERT INTO first_a VALUES ('web-1', '2024-01-01', 0.5), (NULL, '2024-01-01', -0.0), ('', '2024-01-02 00:00:00.000001', 'NaN');
INSERT INTO first_b VALUES ('web-1', '2024-01-01', [1, 2]), (NULL, '2024-01-01', []);
CREATE TABLE numbered_1 (a INT, b INT, PRIMARY KEY (a, 1, b)) WITH (keyspace = 'of numbers');
CREATE TABLE numbered_2 (a INT, b INT, PRIMARY KEY (a, 2)) WITH (keyspace = 'of numbers');
INSERT INTO numbered_1 VALUES (1, 1), (1, 2), (2, 1);
INSERT INTO numbered_2 VALUES (1, 9), (3, 9);

-- Rows dealt out in turn, more than one under a key, in one byte and in two.
CREATE TABLE dealt (ts TIMESTAMP(3), v INT, PRIMARY KEY (random_salt(3), ts));
INSERT INTO dealt VALUES ('2024-01-01', 1), ('2024-01-01', 2), ('2024-01-02', 3);
CREATE TABLE dealt_wide (id BIGINT, v TEXT, PRIMARY KEY (random_salt(300), id DESC));
INSERT INTO dealt_wide SELECT i, 'v' || i FROM range(1, 8) AS r (i);

CREATE TABLE "empty" (a INT PRIMARY KEY, b TEXT);
