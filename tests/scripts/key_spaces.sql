CREATE TABLE customer (customer_id INT, name TEXT, PRIMARY KEY (customer_id, 'customer')) WITH (keyspace = 'shop');
CREATE TABLE orders (customer_id INT, order_id INT, state TEXT, PRIMARY KEY (customer_id, 'order', order_id)) WITH (keyspace = 'shop');
SHOW CREATE TABLE orders;
---
CREATE TABLE
CREATE TABLE
+--------+--------------------------------------------------+
| table  | statement                                        |
+--------+--------------------------------------------------+
| orders | CREATE TABLE orders (                            |
|        |     customer_id INT NOT NULL,                    |
|        |     order_id INT NOT NULL,                       |
|        |     state TEXT,                                  |
|        |     PRIMARY KEY (customer_id, 'order', order_id) |
|        | ) WITH (keyspace = 'shop')                       |
+--------+--------------------------------------------------+

INSERT INTO customer VALUES (1, 'Ada'), (2, 'Ben'), (3, 'Cleo');
INSERT INTO orders VALUES (1, 10, 'paid'), (1, 11, 'sent'), (3, 12, 'new'), (4, 13, 'lost');
SELECT * FROM keyspace('shop');
SELECT table_name, row FROM keyspace('shop') WHERE customer_id = 1;
EXPLAIN KEYS SELECT * FROM keyspace('shop') WHERE customer_id = 1;
EXPLAIN KEYS SELECT * FROM keyspace('shop') WHERE customer_id BETWEEN 2 AND 4 AND table_name = 'orders';
EXPLAIN KEYS SELECT * FROM keyspace('shop');
---
INSERT 3
INSERT 4
+-------------+------------+-------------+------------------------------------------------+--------------------------------+
| customer_id | table_name | key         | row                                            | row_key                        |
+-------------+------------+-------------+------------------------------------------------+--------------------------------+
| 1           | customer   | /1/customer | {"customer_id":1,"name":"Ada"}                 | 80000001637573746f6d65720001   |
| 1           | orders     | /1/order/10 | {"customer_id":1,"order_id":10,"state":"paid"} | 800000016f7264657200018000000a |
| 1           | orders     | /1/order/11 | {"customer_id":1,"order_id":11,"state":"sent"} | 800000016f7264657200018000000b |
| 2           | customer   | /2/customer | {"customer_id":2,"name":"Ben"}                 | 80000002637573746f6d65720001   |
| 3           | customer   | /3/customer | {"customer_id":3,"name":"Cleo"}                | 80000003637573746f6d65720001   |
| 3           | orders     | /3/order/12 | {"customer_id":3,"order_id":12,"state":"new"}  | 800000036f7264657200018000000c |
| 4           | orders     | /4/order/13 | {"customer_id":4,"order_id":13,"state":"lost"} | 800000046f7264657200018000000d |
+-------------+------------+-------------+------------------------------------------------+--------------------------------+
+------------+------------------------------------------------+
| table_name | row                                            |
+------------+------------------------------------------------+
| customer   | {"customer_id":1,"name":"Ada"}                 |
| orders     | {"customer_id":1,"order_id":10,"state":"paid"} |
| orders     | {"customer_id":1,"order_id":11,"state":"sent"} |
+------------+------------------------------------------------+
shop range /1/*  80000001..80000002  tight
shop range /2/* .. /4/*  80000002..80000005  residual: table_name = 'orders' (table_name is not in the row key)
shop full /*  ..  tight

SELECT * FROM orders;
SELECT count(*) FROM orders;
SELECT * FROM customer WHERE customer_id >= 2;
SELECT * FROM keys('customer');
EXPLAIN KEYS SELECT * FROM orders;
EXPLAIN KEYS SELECT * FROM orders WHERE customer_id = 1;
EXPLAIN KEYS SELECT * FROM orders WHERE customer_id = 1 AND order_id = 11;
EXPLAIN KEYS SELECT * FROM orders WHERE customer_id IN (1, 3);
EXPLAIN KEYS SELECT * FROM orders WHERE customer_id < 3;
EXPLAIN KEYS SELECT * FROM keys('customer') WHERE customer_id < 3;
EXPLAIN KEYS SELECT * FROM keys('customer') WHERE row_key > x'80000001';
SELECT customer_id FROM keys('customer') WHERE row_key > x'80000001';
SET halite.pushdown = false;
SELECT * FROM orders;
SELECT count(*) FROM keyspace('shop');
SET halite.pushdown = true;
---
+-------------+----------+-------+
| customer_id | order_id | state |
+-------------+----------+-------+
| 1           | 10       | paid  |
| 1           | 11       | sent  |
| 3           | 12       | new   |
| 4           | 13       | lost  |
+-------------+----------+-------+
+----------+
| count(*) |
+----------+
| 4        |
+----------+
+-------------+------+
| customer_id | name |
+-------------+------+
| 2           | Ben  |
| 3           | Cleo |
+-------------+------+
+-------------+------------+------------------------------+
| customer_id | 'customer' | row_key                      |
+-------------+------------+------------------------------+
| 1           | customer   | 80000001637573746f6d65720001 |
| 2           | customer   | 80000002637573746f6d65720001 |
| 3           | customer   | 80000003637573746f6d65720001 |
+-------------+------------+------------------------------+
orders walk /*/order/*  ..  tight
orders range /1/order/*  800000016f726465720001..800000016f726465720002  tight
orders point /1/order/11  800000016f7264657200018000000b..800000016f7264657200018000000c  tight
orders range /1/order/*  800000016f726465720001..800000016f726465720002  tight
orders range /3/order/*  800000036f726465720001..800000036f726465720002  tight
orders walk /*..2/order/*  ..80000003  tight
customer walk /*..2/customer  ..80000003  tight
customer walk /*/customer  8000000100..  residual: row_key > X'80000001' (whole keys are not all that it is about, or are walked)
+-------------+
| customer_id |
+-------------+
| 1           |
| 2           |
| 3           |
+-------------+
SET
+-------------+----------+-------+
| customer_id | order_id | state |
+-------------+----------+-------+
| 1           | 10       | paid  |
| 1           | 11       | sent  |
| 3           | 12       | new   |
| 4           | 13       | lost  |
+-------------+----------+-------+
+----------+
| count(*) |
+----------+
| 7        |
+----------+
SET

UPDATE orders SET state = 'paid' WHERE state = 'new';
UPDATE orders SET customer_id = 2 WHERE order_id = 13;
DELETE FROM customer WHERE customer_id = 1;
INSERT INTO customer VALUES (2, 'Bo');
INSERT OR REPLACE INTO customer VALUES (2, 'Bo');
SELECT key, row FROM keyspace('shop');
ALTER TABLE orders ADD COLUMN note TEXT DEFAULT 'none';
ALTER TABLE orders ALTER COLUMN note SET NOT NULL;
SELECT * FROM orders;
---
UPDATE 1
UPDATE 1
DELETE 1
error: Conflict, table `customer`, constraint `PRIMARY KEY`: row 1: table `customer`: a row with (customer_id = 2) is there already, under the row key /2/customer
INSERT 1
+-------------+------------------------------------------------+
| key         | row                                            |
+-------------+------------------------------------------------+
| /1/order/10 | {"customer_id":1,"order_id":10,"state":"paid"} |
| /1/order/11 | {"customer_id":1,"order_id":11,"state":"sent"} |
| /2/customer | {"customer_id":2,"name":"Bo"}                  |
| /2/order/13 | {"customer_id":2,"order_id":13,"state":"lost"} |
| /3/customer | {"customer_id":3,"name":"Cleo"}                |
| /3/order/12 | {"customer_id":3,"order_id":12,"state":"paid"} |
+-------------+------------------------------------------------+
ALTER TABLE
ALTER TABLE
+-------------+----------+-------+------+
| customer_id | order_id | state | note |
+-------------+----------+-------+------+
| 1           | 10       | paid  | none |
| 1           | 11       | sent  | none |
| 2           | 13       | lost  | none |
| 3           | 12       | paid  | none |
+-------------+----------+-------+------+

CREATE TABLE line (customer_id INT, order_id INT, n INT, PRIMARY KEY (customer_id, 'order', order_id, n)) WITH (keyspace = 'shop');
CREATE TABLE line (customer_id BIGINT, n INT, PRIMARY KEY (customer_id, 'line', n)) WITH (keyspace = 'shop');
CREATE TABLE line (customer_id INT, n INT, PRIMARY KEY (customer_id DESC, 'line', n)) WITH (keyspace = 'shop');
CREATE TABLE line (customer_id INT, n INT, PRIMARY KEY ('line', customer_id, n)) WITH (keyspace = 'shop');
CREATE TABLE line (customer_id INT, n INT, PRIMARY KEY (customer_id, n)) WITH (keyspace = 'shop');
CREATE TABLE line (customer_id INT, n INT) WITH (keyspace = 'shop');
CREATE TABLE line (customer_id INT, PRIMARY KEY (customer_id, 'line')) WITH (keyspace = 7);
CREATE TABLE line (customer_id INT, PRIMARY KEY (customer_id, 'line')) WITH (keyspace = '');
CREATE TABLE line (customer_id INT, PRIMARY KEY (customer_id, 'line')) WITH (keyspace = 'shop', ttl = 1);
CREATE TABLE line WITH (keyspace = 'shop') AS SELECT 1 AS customer_id;
CREATE OR REPLACE TABLE orders (customer_id INT, PRIMARY KEY (customer_id, 'order')) WITH (keyspace = 'shop');
CREATE TEMP TABLE line (customer_id INT, PRIMARY KEY (customer_id, 'line')) WITH (keyspace = 'shop');
SELECT * FROM keyspace('shops');
SELECT * FROM keyspace(7);
SELECT * FROM keyspace('shop') WHERE customer_id = 'x';
---
error: InvalidInput, table `line`: table `line`: in the key space 'shop' its rows could not be told from those of `orders`, whose row key is (customer_id, 'order', order_id): two tables there differ at a constant, in the same place, behind parts of the same types and directions
error: InvalidInput, table `line`
error: InvalidInput, table `line`
error: InvalidInput, table `line`
error: InvalidInput, table `line`
error: InvalidInput, table `line`
error: InvalidInput, table `line`
error: InvalidInput
error: NotSupported, table `line`: table `line`: CREATE TABLE with `WITH (keyspace = 'shop', ttl = 1)` is not implemented
error: InvalidInput, table `line`
error: NotSupported, table `orders`
error: NotSupported, table `line`: table `line`: a temporary table in a key space
error: InvalidInput
error: InvalidInput
error: InvalidInput

CREATE TABLE line (customer_id INT, order_id INT, n INT, PRIMARY KEY (customer_id, 'order line', order_id, n)) WITH (keyspace = 'shop');
INSERT INTO line VALUES (1, 10, 1), (3, 12, 1), (3, 12, 2);
SELECT key FROM keyspace('shop') WHERE customer_id = 3;
CREATE TABLE like_line (LIKE line);
SHOW CREATE TABLE like_line;
TRUNCATE orders;
SELECT key FROM keyspace('shop');
DROP TABLE line;
SELECT key FROM keyspace('shop');
CREATE TABLE line (customer_id INT, order_id INT, n INT, PRIMARY KEY (customer_id, 'order line', order_id, n)) WITH (keyspace = 'shop');
SELECT count(*) FROM line;
CREATE OR REPLACE TABLE customer (customer_id INT, PRIMARY KEY (customer_id));
SELECT count(*) FROM keyspace('shop');
DROP TABLE orders, line;
SELECT * FROM keyspace('shop');
---
CREATE TABLE
INSERT 3
+--------------------+
| key                |
+--------------------+
| /3/customer        |
| /3/order/12        |
| /3/order line/12/1 |
| /3/order line/12/2 |
+--------------------+
CREATE TABLE
+-----------+----------------------------------------------------------+
| table     | statement                                                |
+-----------+----------------------------------------------------------+
| like_line | CREATE TABLE like_line (                                 |
|           |     customer_id INT NOT NULL,                            |
|           |     order_id INT NOT NULL,                               |
|           |     n INT NOT NULL,                                      |
|           |     PRIMARY KEY (customer_id, 'order line', order_id, n) |
|           | )                                                        |
+-----------+----------------------------------------------------------+
TRUNCATE
+--------------------+
| key                |
+--------------------+
| /1/order line/10/1 |
| /2/customer        |
| /3/customer        |
| /3/order line/12/1 |
| /3/order line/12/2 |
+--------------------+
DROP TABLE
+-------------+
| key         |
+-------------+
| /2/customer |
| /3/customer |
+-------------+
CREATE TABLE
+----------+
| count(*) |
+----------+
| 0        |
+----------+
CREATE TABLE
+----------+
| count(*) |
+----------+
| 0        |
+----------+
DROP TABLE
error: InvalidInput

