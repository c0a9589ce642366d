CREATE TABLE customer (id INT, name TEXT, city TEXT NULL, since DATE, credit DECIMAL(10, 2) NULL, PRIMARY KEY (id));
CREATE TABLE product (sku VARCHAR(12), title TEXT, price DECIMAL(8, 2), tags TEXT NULL, PRIMARY KEY (sku));
CREATE TABLE orders (id BIGINT, customer_id INT, placed TIMESTAMP(0), status TEXT, PRIMARY KEY (customer_id, id));
CREATE TABLE item (order_id BIGINT, line SMALLINT, sku TEXT, quantity INT, price DECIMAL(8, 2), PRIMARY KEY (order_id, line));
---
CREATE TABLE
CREATE TABLE
CREATE TABLE
CREATE TABLE

INSERT INTO customer VALUES
  (1, 'Ada Lovelace', 'London', '2019-03-01', 1000),
  (2, 'Grace Hopper', 'New York', '2020-07-15', 250.50),
  (3, 'Edsger Dijkstra', 'Rotterdam', '2020-12-31', NULL),
  (4, 'Barbara Liskov', NULL, '2021-02-28', 75),
  (5, 'O''Hara, Frank', 'New York', '2024-02-29', 0);
INSERT INTO product (sku, title, price, tags) VALUES ('A-1', 'Anvil', 49.90, 'iron,heavy'), ('B-2', 'Bucket', 7.25, NULL), ('C-3', 'Candle', 0.99, 'wax'), ('D-4', 'Drum', 120, 'loud,heavy');
INSERT INTO orders VALUES (10, 1, '2024-01-05 09:30:00', 'paid'), (11, 1, '2024-02-10 17:45:10', 'open'), (12, 2, '2024-02-29 00:00:00', 'paid'), (13, 3, '2024-03-31 23:59:59', 'cancelled'), (14, 2, '2024-04-01 08:00:00', 'open');
INSERT INTO item VALUES (10, 1, 'A-1', 1, 49.90), (10, 2, 'C-3', 12, 0.99), (11, 1, 'B-2', 3, 7.00), (12, 1, 'D-4', 1, 120), (12, 2, 'C-3', 6, 0.99), (13, 1, 'A-1', 2, 45), (14, 1, 'B-2', 1, 7.25);
---
INSERT 5
INSERT 4
INSERT 5
INSERT 7

SELECT * FROM customer ORDER BY id;
---
+----+-----------------+-----------+------------+---------+
| id | name            | city      | since      | credit  |
+----+-----------------+-----------+------------+---------+
| 1  | Ada Lovelace    | London    | 2019-03-01 | 1000.00 |
| 2  | Grace Hopper    | New York  | 2020-07-15 | 250.50  |
| 3  | Edsger Dijkstra | Rotterdam | 2020-12-31 |         |
| 4  | Barbara Liskov  |           | 2021-02-28 | 75.00   |
| 5  | O'Hara, Frank   | New York  | 2024-02-29 | 0.00    |
+----+-----------------+-----------+------------+---------+

SELECT name, city FROM customer WHERE city = 'New York' ORDER BY name DESC;
---
+---------------+----------+
| name          | city     |
+---------------+----------+
| O'Hara, Frank | New York |
| Grace Hopper  | New York |
+---------------+----------+

SELECT count(*), count(city), count(DISTINCT city), min(since), max(since), sum(credit), avg(credit) FROM customer;
---
+----------+-------------+----------------------+------------+------------+-------------+----------------------+
| count(*) | count(city) | count(DISTINCT city) | min(since) | max(since) | sum(credit) | avg(credit)          |
+----------+-------------+----------------------+------------+------------+-------------+----------------------+
| 5        | 4           | 3                    | 2019-03-01 | 2024-02-29 | 1325.50     | 331.3750000000000000 |
+----------+-------------+----------------------+------------+------------+-------------+----------------------+

SELECT id, upper(name) AS shouted, length(name) AS n, left(name, 3) AS begun, substr(name, 5, 4) AS middle FROM customer WHERE id <= 3 ORDER BY 1;
---
+----+-----------------+----+-------+--------+
| id | shouted         | n  | begun | middle |
+----+-----------------+----+-------+--------+
| 1  | ADA LOVELACE    | 12 | Ada   | Love   |
| 2  | GRACE HOPPER    | 12 | Gra   | e Ho   |
| 3  | EDSGER DIJKSTRA | 15 | Eds   | er D   |
+----+-----------------+----+-------+--------+

SELECT name FROM customer WHERE name LIKE '%r%' ORDER BY name;
SELECT name FROM customer WHERE name ILIKE '%GRACE%';
SELECT name FROM customer WHERE name ~ '^[A-E]' ORDER BY name;
---
+-----------------+
| name            |
+-----------------+
| Barbara Liskov  |
| Edsger Dijkstra |
| Grace Hopper    |
| O'Hara, Frank   |
+-----------------+
+--------------+
| name         |
+--------------+
| Grace Hopper |
+--------------+
+-----------------+
| name            |
+-----------------+
| Ada Lovelace    |
| Barbara Liskov  |
| Edsger Dijkstra |
+-----------------+

SELECT name, coalesce(city, 'nowhere') AS city, coalesce(credit, 0) + 10 AS credit FROM customer ORDER BY credit, name;
---
+-----------------+-----------+---------+
| name            | city      | credit  |
+-----------------+-----------+---------+
| Edsger Dijkstra | Rotterdam | 10.00   |
| O'Hara, Frank   | New York  | 10.00   |
| Barbara Liskov  | nowhere   | 85.00   |
| Grace Hopper    | New York  | 260.50  |
| Ada Lovelace    | London    | 1010.00 |
+-----------------+-----------+---------+

SELECT name, CASE WHEN credit >= 500 THEN 'good' WHEN credit > 0 THEN 'fair' WHEN credit = 0 THEN 'none' ELSE 'unknown' END AS standing FROM customer ORDER BY id;
---
+-----------------+----------+
| name            | standing |
+-----------------+----------+
| Ada Lovelace    | good     |
| Grace Hopper    | fair     |
| Edsger Dijkstra | unknown  |
| Barbara Liskov  | fair     |
| O'Hara, Frank   | none     |
+-----------------+----------+

SELECT city, count(*) AS customers FROM customer GROUP BY city ORDER BY customers DESC, city NULLS LAST;
SELECT city, count(*) FROM customer GROUP BY city HAVING count(*) > 1;
---
+-----------+-----------+
| city      | customers |
+-----------+-----------+
| New York  | 2         |
| London    | 1         |
| Rotterdam | 1         |
|           | 1         |
+-----------+-----------+
+----------+----------+
| city     | count(*) |
+----------+----------+
| New York | 2        |
+----------+----------+

SELECT extract(year FROM since) AS year, count(*) FROM customer GROUP BY 1 ORDER BY 1;
SELECT date_trunc('month', placed) AS month, count(*) AS orders FROM orders GROUP BY month ORDER BY month;
SELECT id, placed::DATE AS day, to_char(placed, 'DD.MM.YYYY HH24:MI') AS shown FROM orders ORDER BY id;
---
+------+----------+
| year | count(*) |
+------+----------+
| 2019 | 1        |
| 2020 | 2        |
| 2021 | 1        |
| 2024 | 1        |
+------+----------+
+---------------------+--------+
| month               | orders |
+---------------------+--------+
| 2024-01-01T00:00:00 | 1      |
| 2024-02-01T00:00:00 | 2      |
| 2024-03-01T00:00:00 | 1      |
| 2024-04-01T00:00:00 | 1      |
+---------------------+--------+
+----+------------+------------------+
| id | day        | shown            |
+----+------------+------------------+
| 10 | 2024-01-05 | 05.01.2024 09:30 |
| 11 | 2024-02-10 | 10.02.2024 17:45 |
| 12 | 2024-02-29 | 29.02.2024 00:00 |
| 13 | 2024-03-31 | 31.03.2024 23:59 |
| 14 | 2024-04-01 | 01.04.2024 08:00 |
+----+------------+------------------+

SELECT placed + INTERVAL '1 day' AS tomorrow, placed - INTERVAL '1 hour 30 minutes' AS before FROM orders WHERE id = 12;
SELECT DATE '2024-03-01' - DATE '2024-02-01' AS days;
SELECT DATE '2024-01-31' + INTERVAL '1 month' AS clamped;
SELECT age(TIMESTAMP '2024-03-01', TIMESTAMP '2023-01-15') AS age;
SELECT current_date > DATE '2024-01-01' AS later, now() IS NOT NULL AS now;
---
+---------------------+---------------------+
| tomorrow            | before              |
+---------------------+---------------------+
| 2024-03-01T00:00:00 | 2024-02-28T22:30:00 |
+---------------------+---------------------+
+------+
| days |
+------+
| 29   |
+------+
+------------+
| clamped    |
+------------+
| 2024-02-29 |
+------------+
+-----------------+
| age             |
+-----------------+
| 13 mons 17 days |
+-----------------+
+-------+------+
| later | now  |
+-------+------+
| true  | true |
+-------+------+

SELECT o.id, c.name, o.status FROM orders o JOIN customer c ON c.id = o.customer_id ORDER BY o.id;
SELECT c.name, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id ORDER BY c.id, o.id;
SELECT c.name FROM customer c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id) ORDER BY 1;
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE status = 'paid') ORDER BY name;
SELECT name FROM customer WHERE id NOT IN (SELECT customer_id FROM orders) ORDER BY name;
---
+----+-----------------+-----------+
| id | name            | status    |
+----+-----------------+-----------+
| 10 | Ada Lovelace    | paid      |
| 11 | Ada Lovelace    | open      |
| 12 | Grace Hopper    | paid      |
| 13 | Edsger Dijkstra | cancelled |
| 14 | Grace Hopper    | open      |
+----+-----------------+-----------+
+-----------------+----+
| name            | id |
+-----------------+----+
| Ada Lovelace    | 10 |
| Ada Lovelace    | 11 |
| Grace Hopper    | 12 |
| Grace Hopper    | 14 |
| Edsger Dijkstra | 13 |
| Barbara Liskov  |    |
| O'Hara, Frank   |    |
+-----------------+----+
+----------------+
| name           |
+----------------+
| Barbara Liskov |
| O'Hara, Frank  |
+----------------+
+--------------+
| name         |
+--------------+
| Ada Lovelace |
| Grace Hopper |
+--------------+
+----------------+
| name           |
+----------------+
| Barbara Liskov |
| O'Hara, Frank  |
+----------------+

SELECT o.id, sum(i.quantity * i.price) AS total FROM orders o JOIN item i ON i.order_id = o.id GROUP BY o.id ORDER BY total DESC;
SELECT c.name, count(DISTINCT o.id) AS orders, coalesce(sum(i.quantity * i.price), 0) AS spent FROM customer c LEFT JOIN orders o ON o.customer_id = c.id LEFT JOIN item i ON i.order_id = o.id GROUP BY c.name ORDER BY spent DESC, c.name;
SELECT p.title, sum(i.quantity) AS sold FROM product p LEFT JOIN item i USING (sku) GROUP BY p.title ORDER BY sold DESC NULLS LAST, 1;
---
+----+--------+
| id | total  |
+----+--------+
| 12 | 125.94 |
| 13 | 90.00  |
| 10 | 61.78  |
| 11 | 21.00  |
| 14 | 7.25   |
+----+--------+
+-----------------+--------+--------+
| name            | orders | spent  |
+-----------------+--------+--------+
| Grace Hopper    | 2      | 133.19 |
| Edsger Dijkstra | 1      | 90.00  |
| Ada Lovelace    | 2      | 82.78  |
| Barbara Liskov  | 0      | 0.00   |
| O'Hara, Frank   | 0      | 0.00   |
+-----------------+--------+--------+
+--------+------+
| title  | sold |
+--------+------+
| Candle | 18   |
| Bucket | 4    |
| Anvil  | 3    |
| Drum   | 1    |
+--------+------+

WITH totals AS (SELECT order_id, sum(quantity * price) AS total FROM item GROUP BY order_id) SELECT o.status, count(*) AS n, round(avg(total), 2) AS mean FROM orders o JOIN totals t ON t.order_id = o.id GROUP BY o.status ORDER BY o.status;
WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i, i * i AS square FROM n ORDER BY i;
---
+-----------+---+-------+
| status    | n | mean  |
+-----------+---+-------+
| cancelled | 1 | 90.00 |
| open      | 2 | 14.13 |
| paid      | 2 | 93.86 |
+-----------+---+-------+
+---+--------+
| i | square |
+---+--------+
| 1 | 1      |
| 2 | 4      |
| 3 | 9      |
| 4 | 16     |
| 5 | 25     |
+---+--------+

SELECT id, customer_id, row_number() OVER (PARTITION BY customer_id ORDER BY placed) AS nth, lag(id) OVER (ORDER BY placed) AS before FROM orders ORDER BY id;
SELECT order_id, line, sum(quantity) OVER (ORDER BY order_id, line) AS running FROM item ORDER BY order_id, line;
SELECT name, rank() OVER (ORDER BY credit DESC NULLS LAST) AS place FROM customer ORDER BY place, name;
SELECT DISTINCT ON (customer_id) customer_id, id, placed FROM orders ORDER BY customer_id, placed DESC;
---
+----+-------------+-----+--------+
| id | customer_id | nth | before |
+----+-------------+-----+--------+
| 10 | 1           | 1   |        |
| 11 | 1           | 2   | 10     |
| 12 | 2           | 1   | 11     |
| 13 | 3           | 1   | 12     |
| 14 | 2           | 2   | 13     |
+----+-------------+-----+--------+
+----------+------+---------+
| order_id | line | running |
+----------+------+---------+
| 10       | 1    | 1       |
| 10       | 2    | 13      |
| 11       | 1    | 16      |
| 12       | 1    | 17      |
| 12       | 2    | 23      |
| 13       | 1    | 25      |
| 14       | 1    | 26      |
+----------+------+---------+
+-----------------+-------+
| name            | place |
+-----------------+-------+
| Ada Lovelace    | 1     |
| Grace Hopper    | 2     |
| Barbara Liskov  | 3     |
| O'Hara, Frank   | 4     |
| Edsger Dijkstra | 5     |
+-----------------+-------+
+-------------+----+---------------------+
| customer_id | id | placed              |
+-------------+----+---------------------+
| 1           | 11 | 2024-02-10T17:45:10 |
| 2           | 14 | 2024-04-01T08:00:00 |
| 3           | 13 | 2024-03-31T23:59:59 |
+-------------+----+---------------------+

SELECT sku FROM product UNION SELECT sku FROM item ORDER BY 1;
SELECT sku FROM product EXCEPT SELECT sku FROM item;
SELECT sku FROM product INTERSECT SELECT sku FROM item WHERE quantity > 2 ORDER BY sku;
---
+-----+
| sku |
+-----+
| A-1 |
| B-2 |
| C-3 |
| D-4 |
+-----+
++
++
+-----+
| sku |
+-----+
| B-2 |
| C-3 |
+-----+

SELECT * FROM product ORDER BY price DESC LIMIT 2 OFFSET 1;
SELECT DISTINCT status FROM orders ORDER BY status;
SELECT title, price * 1.19 AS gross, round(price * 1.19, 2) AS rounded FROM product ORDER BY sku;
---
+-----+--------+-------+------------+
| sku | title  | price | tags       |
+-----+--------+-------+------------+
| A-1 | Anvil  | 49.90 | iron,heavy |
| B-2 | Bucket | 7.25  |            |
+-----+--------+-------+------------+
+-----------+
| status    |
+-----------+
| cancelled |
| open      |
| paid      |
+-----------+
+--------+----------+---------+
| title  | gross    | rounded |
+--------+----------+---------+
| Anvil  | 59.3810  | 59.38   |
| Bucket | 8.6275   | 8.63    |
| Candle | 1.1781   | 1.18    |
| Drum   | 142.8000 | 142.80  |
+--------+----------+---------+

SELECT string_agg(title, ', ' ORDER BY title) AS titles, array_agg(sku ORDER BY price) AS skus FROM product;
SELECT split_part(name, ' ', 1) AS first, split_part(name, ' ', 2) AS last FROM customer WHERE id < 3 ORDER BY id;
SELECT concat(name, ' (', city, ')') AS label, name || ' of ' || city AS other FROM customer ORDER BY id;
SELECT trim('  x  ') AS t, ltrim('xxa', 'x') AS l, lpad('7', 3, '0') AS p, repeat('ab', 2) AS r, reverse('abc') AS v, replace('banana', 'an', 'AN') AS s, position('n' IN 'banana') AS at, initcap('the quick') AS i;
SELECT regexp_replace('2024-01-31', '(\d+)-(\d+)-(\d+)', '\3.\2.\1') AS turned;
SELECT mod(7, 3) AS m;
SELECT len('abc') AS n, truncate(2.567, 1) AS t, isnull(NULL) AS z, gen_random_uuid() IS NOT NULL AS u, current_schema() AS s;
SELECT count_if(price > 10) AS dear, every(price > 0) AS all, round(variance(quantity), 4) AS spread FROM item;
SELECT 7 / 2 AS whole, 7 / 2.0 AS exact, 7 % 3 AS rest, 2 ^ 3 AS power, -2 + 2 * 3 ^ 2 AS bound, 6 # 3 AS bits, 1e3 AS big, 1_000 AS thousand;
SELECT NULL = NULL AS a, NULL IS NULL AS b, 1 IS DISTINCT FROM NULL AS c, coalesce(NULL, 'x') AS d, nullif(1, 1) AS e;
SELECT CAST('12' AS INT) + 1 AS n, '2024-02-29'::DATE AS d, 3.99::INT AS r, 1::BOOLEAN AS t, 'yes'::BOOLEAN AS y, 42::TEXT || '!' AS s;
SELECT true AND NULL AS a, false OR true AS b, NOT false AS c;
---
+-----------------------------+----------------------+
| titles                      | skus                 |
+-----------------------------+----------------------+
| Anvil, Bucket, Candle, Drum | [C-3, B-2, A-1, D-4] |
+-----------------------------+----------------------+
+-------+----------+
| first | last     |
+-------+----------+
| Ada   | Lovelace |
| Grace | Hopper   |
+-------+----------+
+-----------------------------+------------------------------+
| label                       | other                        |
+-----------------------------+------------------------------+
| Ada Lovelace (London)       | Ada Lovelace of London       |
| Grace Hopper (New York)     | Grace Hopper of New York     |
| Edsger Dijkstra (Rotterdam) | Edsger Dijkstra of Rotterdam |
| Barbara Liskov ()           |                              |
| O'Hara, Frank (New York)    | O'Hara, Frank of New York    |
+-----------------------------+------------------------------+
+---+---+-----+------+-----+--------+----+-----------+
| t | l | p   | r    | v   | s      | at | i         |
+---+---+-----+------+-----+--------+----+-----------+
| x | a | 007 | abab | cba | bANANa | 3  | The Quick |
+---+---+-----+------+-----+--------+----+-----------+
+------------+
| turned     |
+------------+
| 31.01.2024 |
+------------+
+---+
| m |
+---+
| 1 |
+---+
+---+-------+------+------+--------+
| n | t     | z    | u    | s      |
+---+-------+------+------+--------+
| 3 | 2.500 | true | true | public |
+---+-------+------+------+--------+
+------+------+---------+
| dear | all  | spread  |
+------+------+---------+
| 3    | true | 16.5714 |
+------+------+---------+
+-------+--------------------+------+-------+-------+------+--------+----------+
| whole | exact              | rest | power | bound | bits | big    | thousand |
+-------+--------------------+------+-------+-------+------+--------+----------+
| 3     | 3.5000000000000000 | 1    | 8.0   | 16.0  | 5    | 1000.0 | 1000     |
+-------+--------------------+------+-------+-------+------+--------+----------+
+---+------+------+---+---+
| a | b    | c    | d | e |
+---+------+------+---+---+
|   | true | true | x |   |
+---+------+------+---+---+
+----+------------+---+------+------+-----+
| n  | d          | r | t    | y    | s   |
+----+------------+---+------+------+-----+
| 13 | 2024-02-29 | 4 | true | true | 42! |
+----+------------+---+------+------+-----+
+---+------+------+
| a | b    | c    |
+---+------+------+
|   | true | true |
+---+------+------+

SELECT (SELECT max(price) FROM product) AS dearest, (SELECT title FROM product ORDER BY price LIMIT 1) AS cheapest;
SELECT title FROM product WHERE price > (SELECT avg(price) FROM product) ORDER BY title;
SELECT title FROM product WHERE price BETWEEN 1 AND 50 ORDER BY price;
SELECT title FROM product p WHERE price = (SELECT max(i.price) FROM item i WHERE i.sku = p.sku) ORDER BY title;
---
+---------+----------+
| dearest | cheapest |
+---------+----------+
| 120.00  | Candle   |
+---------+----------+
+-------+
| title |
+-------+
| Anvil |
| Drum  |
+-------+
+--------+
| title  |
+--------+
| Bucket |
| Anvil  |
+--------+
+--------+
| title  |
+--------+
| Anvil  |
| Bucket |
| Candle |
| Drum   |
+--------+

SELECT status, count(*) FILTER (WHERE customer_id = 1) AS of_ada, count(*) AS of_all FROM orders GROUP BY status ORDER BY status;
SELECT status, customer_id, count(*) FROM orders GROUP BY ROLLUP (status, customer_id) ORDER BY status NULLS LAST, customer_id NULLS LAST;
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY price) AS median, stddev(price) > 0 AS spread FROM product;
SELECT * FROM (VALUES (1, 'one'), (2, 'two')) AS t (n, word) ORDER BY n;
SELECT * FROM generate_series(1, 3);
SELECT unnest([10, 20, 30]) AS n;
SELECT a.id, b.id FROM customer a CROSS JOIN customer b WHERE a.id < b.id AND a.city = b.city;
SELECT * FROM customer NATURAL JOIN (SELECT 1 AS id, 'x' AS extra) AS e;
---
+-----------+--------+--------+
| status    | of_ada | of_all |
+-----------+--------+--------+
| cancelled | 0      | 1      |
| open      | 1      | 2      |
| paid      | 1      | 2      |
+-----------+--------+--------+
+-----------+-------------+----------+
| status    | customer_id | count(*) |
+-----------+-------------+----------+
| cancelled | 3           | 1        |
| cancelled |             | 1        |
| open      | 1           | 1        |
| open      | 2           | 1        |
| open      |             | 2        |
| paid      | 1           | 1        |
| paid      | 2           | 1        |
| paid      |             | 2        |
|           |             | 5        |
+-----------+-------------+----------+
+--------+--------+
| median | spread |
+--------+--------+
| 28.575 | true   |
+--------+--------+
+---+------+
| n | word |
+---+------+
| 1 | one  |
| 2 | two  |
+---+------+
+-------+
| value |
+-------+
| 1     |
| 2     |
| 3     |
+-------+
+----+
| n  |
+----+
| 10 |
| 20 |
| 30 |
+----+
+----+----+
| id | id |
+----+----+
| 2  | 5  |
+----+----+
+----+--------------+--------+------------+---------+-------+
| id | name         | city   | since      | credit  | extra |
+----+--------------+--------+------------+---------+-------+
| 1  | Ada Lovelace | London | 2019-03-01 | 1000.00 | x     |
+----+--------------+--------+------------+---------+-------+

INSERT INTO customer VALUES (1, 'Twice', NULL, '2024-01-01', 0);
INSERT INTO customer (id, name, since) VALUES (6, NULL, '2024-01-01');
INSERT INTO customer VALUES (7, 'Too few');
INSERT INTO customer VALUES (8, 'Bad date', NULL, '2024-02-30', 0);
INSERT INTO product VALUES ('much-too-long-sku', 'x', 1, NULL);
INSERT INTO product VALUES ('E-5', 'x', 12345678.90, NULL);
SELECT nme FROM customer;
SELECT * FROM custmer;
SELECT lenght(name) FROM customer;
SELECT name, count(*) FROM customer;
SELECT 1 / 0;
SELECT CAST('abc' AS INT);
---
error: Conflict, table `customer`, constraint `PRIMARY KEY`: row 1: table `customer`: a row with (id = 1) is there already, under the row key /1
INSERT 1
error: InvalidInput, table `customer`: row 1: table `customer`: 2 values are given for 5 columns
error: InvalidInput, table `customer`, column `since`
error: InvalidInput, table `product`, column `sku`
error: InvalidInput, table `product`, column `price`
error: InvalidInput, column `nme`
error: InvalidInput, table `custmer`
error: InvalidInput
error: InvalidInput, column `customer.name`
error: InvalidInput
error: InvalidInput

DELETE FROM orders WHERE status = 'cancelled';
DELETE FROM item WHERE order_id NOT IN (SELECT id FROM orders);
SELECT count(*) FROM orders;
INSERT OR REPLACE INTO product VALUES ('B-2', 'Bucket', 8.00, 'tin');
SELECT * FROM product WHERE sku = 'B-2';
INSERT INTO orders SELECT id + 100, customer_id, placed + INTERVAL '1 year', 'open' FROM orders WHERE status = 'paid';
SELECT id, placed FROM orders WHERE id > 100 ORDER BY id;
---
DELETE 1
DELETE 1
+----------+
| count(*) |
+----------+
| 4        |
+----------+
INSERT 1
+-----+--------+-------+------+
| sku | title  | price | tags |
+-----+--------+-------+------+
| B-2 | Bucket | 8.00  | tin  |
+-----+--------+-------+------+
INSERT 2
+-----+---------------------+
| id  | placed              |
+-----+---------------------+
| 110 | 2025-01-05T09:30:00 |
| 112 | 2025-02-28T00:00:00 |
+-----+---------------------+

PREPARE of_city AS SELECT name FROM customer WHERE city = $1 ORDER BY name;
EXECUTE of_city('London');
EXECUTE of_city('New York');
DEALLOCATE of_city;
DESCRIBE product;
SHOW TABLES;
SHOW CREATE TABLE item;
EXPLAIN KEYS SELECT * FROM orders WHERE customer_id = 2 AND id >= 12;
SET TIME ZONE 'Europe/Berlin';
SELECT TIMESTAMP '2024-07-01 12:00:00' AT TIME ZONE 'UTC' AS utc;
TRUNCATE item;
SELECT count(*) FROM item;
DROP TABLE item;
DROP TABLE IF EXISTS item;
DROP TABLE item;
---
PREPARE
+--------------+
| name         |
+--------------+
| Ada Lovelace |
+--------------+
+---------------+
| name          |
+---------------+
| Grace Hopper  |
| O'Hara, Frank |
+---------------+
DEALLOCATE
+--------+---------------+-------+--------+---------+--------+
| column | type          | null  | key    | default | checks |
+--------+---------------+-------+--------+---------+--------+
| sku    | VARCHAR(12)   | false | 1: sku |         |        |
| title  | TEXT          | true  |        |         |        |
| price  | DECIMAL(8, 2) | true  |        |         |        |
| tags   | TEXT          | true  |        |         |        |
+--------+---------------+-------+--------+---------+--------+
+----------+
| table    |
+----------+
| customer |
| item     |
| orders   |
| product  |
+----------+
+-------+----------------------------------+
| table | statement                        |
+-------+----------------------------------+
| item  | CREATE TABLE item (              |
|       |     order_id BIGINT NOT NULL,    |
|       |     line SMALLINT NOT NULL,      |
|       |     sku TEXT,                    |
|       |     quantity INT,                |
|       |     price DECIMAL(8, 2),         |
|       |     PRIMARY KEY (order_id, line) |
|       | )                                |
+-------+----------------------------------+
orders range /2/12 .. /2/*  80000002800000000000000c..80000003  tight
SET
+----------------------+
| utc                  |
+----------------------+
| 2024-07-01T12:00:00Z |
+----------------------+
TRUNCATE
+----------+
| count(*) |
+----------+
| 0        |
+----------+
DROP TABLE
DROP TABLE
error: InvalidInput, table `item`

SET TIME ZONE 'UTC';
CREATE TABLE IF NOT EXISTS employees (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    department VARCHAR(20) NOT NULL DEFAULT 'none',
    salary DECIMAL(10, 2) CHECK (salary > 0),
    manager_id INTEGER,
    hired DATE DEFAULT DATE '2020-01-01',
    email TEXT,
    active BOOLEAN DEFAULT true
);
CREATE TABLE sales (sold_on DATE, region TEXT, item TEXT, amount INTEGER);
INSERT INTO employees (id, name, department, salary, manager_id, hired, email) VALUES
  (1, 'Ann', 'board', 9000, NULL, '2015-01-01', 'ann@example.com'),
  (2, 'Bob', 'sales', 5000, 1, '2018-05-10', 'bob@example.com'),
  (3, 'Cid', 'sales', 4200, 2, '2019-06-15', NULL),
  (4, 'Dee', 'tech', 6100, 1, '2017-03-01', 'dee@example.org'),
  (5, 'Eve', 'tech', 5800, 4, '2021-11-11', 'eve@mail.example.org'),
  (6, 'Fay', 'tech', 5800, 4, '2022-02-02', 'fay@example.net');
INSERT INTO sales VALUES
  ('2024-01-03', 'north', 'pen', 10), ('2024-01-17', 'south', 'pen', 25), ('2024-01-30', 'north', 'ink', 7),
  ('2024-02-02', 'east', 'pen', 40), ('2024-02-14', 'south', 'ink', NULL), ('2024-03-05', 'north', 'pen', 12),
  ('2024-03-06', 'north', 'pen', 12), ('2024-03-29', 'south', 'ink', 31), ('2024-05-01', 'east', 'ink', 3);
SELECT department, count(*) AS heads, min(salary), max(salary), round(avg(salary), 2) AS mean FROM employees GROUP BY department ORDER BY heads DESC, department;
---
SET
CREATE TABLE
warning: table `sales`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE
INSERT 6
INSERT 9
+------------+-------+-------------+-------------+---------+
| department | heads | min(salary) | max(salary) | mean    |
+------------+-------+-------------+-------------+---------+
| tech       | 3     | 5800.00     | 6100.00     | 5900.00 |
| sales      | 2     | 4200.00     | 5000.00     | 4600.00 |
| board      | 1     | 9000.00     | 9000.00     | 9000.00 |
+------------+-------+-------------+-------------+---------+

-- as tables are turned on their side
SELECT date_trunc('month', sold_on)::DATE AS month,
       sum(CASE WHEN region = 'north' THEN amount ELSE 0 END) AS north,
       sum(amount) FILTER (WHERE region = 'south') AS south,
       sum(amount) AS total
FROM sales GROUP BY 1 ORDER BY 1;
SELECT region, round(100.0 * sum(amount) / sum(sum(amount)) OVER (), 1) AS percent FROM sales GROUP BY region ORDER BY percent DESC;
SELECT * FROM (SELECT item, region, amount FROM sales) PIVOT (sum(amount) FOR region IN ('north', 'south')) ORDER BY item;
SELECT region, item, sum(amount) AS total, grouping(region) AS g FROM sales GROUP BY CUBE (region, item) ORDER BY region NULLS LAST, item NULLS LAST;
SELECT region, item, count(*) FROM sales GROUP BY GROUPING SETS ((region), (item), ()) ORDER BY ALL;
---
+------------+-------+-------+-------+
| month      | north | south | total |
+------------+-------+-------+-------+
| 2024-01-01 | 17    | 25    | 42    |
| 2024-02-01 | 0     |       | 40    |
| 2024-03-01 | 24    | 31    | 55    |
| 2024-05-01 | 0     |       | 3     |
+------------+-------+-------+-------+
+--------+---------+
| region | percent |
+--------+---------+
| south  | 40.0    |
| east   | 30.7    |
| north  | 29.3    |
+--------+---------+
+------+-------+-------+
| item | north | south |
+------+-------+-------+
| ink  | 7     | 31    |
| pen  | 34    | 25    |
+------+-------+-------+
+--------+------+-------+---+
| region | item | total | g |
+--------+------+-------+---+
| east   | ink  | 3     | 0 |
| east   | pen  | 40    | 0 |
| east   |      | 43    | 0 |
| north  | ink  | 7     | 0 |
| north  | pen  | 34    | 0 |
| north  |      | 41    | 0 |
| south  | ink  | 31    | 0 |
| south  | pen  | 25    | 0 |
| south  |      | 56    | 0 |
|        | ink  | 41    | 1 |
|        | pen  | 99    | 1 |
|        |      | 140   | 1 |
+--------+------+-------+---+
+--------+------+----------+
| region | item | count(*) |
+--------+------+----------+
| east   |      | 2        |
| north  |      | 4        |
| south  |      | 3        |
|        | ink  | 4        |
|        | pen  | 5        |
|        |      | 9        |
+--------+------+----------+

-- windows
SELECT name, department, salary,
       rank() OVER (PARTITION BY department ORDER BY salary DESC) AS rank,
       dense_rank() OVER w AS dense,
       salary - avg(salary) OVER (PARTITION BY department) AS above
FROM employees WINDOW w AS (ORDER BY salary DESC) ORDER BY id;
SELECT sold_on, amount, sum(amount) OVER (ORDER BY sold_on ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS moving FROM sales ORDER BY sold_on;
SELECT sold_on, sum(amount) OVER (ORDER BY sold_on RANGE BETWEEN INTERVAL '30 days' PRECEDING AND CURRENT ROW) AS month FROM sales ORDER BY sold_on;
SELECT name, ntile(3) OVER (ORDER BY salary) AS third, percent_rank() OVER (ORDER BY salary) AS share, first_value(name) OVER (ORDER BY salary DESC) AS best, lead(name, 1, 'nobody') OVER (ORDER BY id) AS next FROM employees ORDER BY id;
SELECT department, name, salary FROM employees QUALIFY row_number() OVER (PARTITION BY department ORDER BY salary DESC, id) = 1 ORDER BY department;
SELECT * FROM (SELECT department, name, row_number() OVER (PARTITION BY department ORDER BY hired) AS n FROM employees) AS ranked WHERE n <= 2 ORDER BY department, n;
WITH monthly AS (SELECT date_trunc('month', sold_on) AS month, sum(amount) AS total FROM sales GROUP BY month)
SELECT month::DATE, total, total - lag(total) OVER (ORDER BY month) AS change, round(100.0 * total / lag(total) OVER (ORDER BY month) - 100, 1) AS percent FROM monthly ORDER BY month;
---
+------+------------+---------+------+-------+-----------------------+
| name | department | salary  | rank | dense | above                 |
+------+------------+---------+------+-------+-----------------------+
| Ann  | board      | 9000.00 | 1    | 1     | 0.0000000000000000    |
| Bob  | sales      | 5000.00 | 1    | 4     | 400.0000000000000000  |
| Cid  | sales      | 4200.00 | 2    | 5     | -400.0000000000000000 |
| Dee  | tech       | 6100.00 | 1    | 2     | 200.0000000000000000  |
| Eve  | tech       | 5800.00 | 2    | 3     | -100.0000000000000000 |
| Fay  | tech       | 5800.00 | 2    | 3     | -100.0000000000000000 |
+------+------------+---------+------+-------+-----------------------+
+------------+--------+--------+
| sold_on    | amount | moving |
+------------+--------+--------+
| 2024-01-03 | 10     | 10     |
| 2024-01-17 | 25     | 35     |
| 2024-01-30 | 7      | 42     |
| 2024-02-02 | 40     | 72     |
| 2024-02-14 |        | 47     |
| 2024-03-05 | 12     | 52     |
| 2024-03-06 | 12     | 24     |
| 2024-03-29 | 31     | 55     |
| 2024-05-01 | 3      | 46     |
+------------+--------+--------+
+------------+-------+
| sold_on    | month |
+------------+-------+
| 2024-01-03 | 10    |
| 2024-01-17 | 35    |
| 2024-01-30 | 42    |
| 2024-02-02 | 82    |
| 2024-02-14 | 72    |
| 2024-03-05 | 12    |
| 2024-03-06 | 24    |
| 2024-03-29 | 55    |
| 2024-05-01 | 3     |
+------------+-------+
+------+-------+-------+------+--------+
| name | third | share | best | next   |
+------+-------+-------+------+--------+
| Ann  | 3     | 1.0   | Ann  | Bob    |
| Bob  | 1     | 0.2   | Ann  | Cid    |
| Cid  | 1     | 0.0   | Ann  | Dee    |
| Dee  | 3     | 0.8   | Ann  | Eve    |
| Eve  | 2     | 0.4   | Ann  | Fay    |
| Fay  | 2     | 0.4   | Ann  | nobody |
+------+-------+-------+------+--------+
+------------+------+---------+
| department | name | salary  |
+------------+------+---------+
| board      | Ann  | 9000.00 |
| sales      | Bob  | 5000.00 |
| tech       | Dee  | 6100.00 |
+------------+------+---------+
+------------+------+---+
| department | name | n |
+------------+------+---+
| board      | Ann  | 1 |
| sales      | Bob  | 1 |
| sales      | Cid  | 2 |
| tech       | Dee  | 1 |
| tech       | Eve  | 2 |
+------------+------+---+
+-------------+-------+--------+---------+
| month::DATE | total | change | percent |
+-------------+-------+--------+---------+
| 2024-01-01  | 42    |        |         |
| 2024-02-01  | 40    | -2     | -4.8    |
| 2024-03-01  | 55    | 15     | 37.5    |
| 2024-05-01  | 3     | -52    | -94.5   |
+-------------+-------+--------+---------+

-- trees, sequences, gaps
WITH RECURSIVE chain AS (
    SELECT id, name, 0 AS level, name AS path FROM employees WHERE manager_id IS NULL
    UNION ALL
    SELECT e.id, e.name, c.level + 1, c.path || ' > ' || e.name FROM employees e JOIN chain c ON e.manager_id = c.id
) SELECT level, path FROM chain ORDER BY path;
WITH RECURSIVE fib(a, b) AS (SELECT 0, 1 UNION ALL SELECT b, a + b FROM fib WHERE b < 50) SELECT a FROM fib ORDER BY a;
SELECT day::DATE, coalesce(sum(amount), 0) AS amount FROM generate_series(DATE '2024-01-29', DATE '2024-02-03', INTERVAL '1 day') AS g (day) LEFT JOIN sales ON sold_on = day GROUP BY day ORDER BY day;
SELECT i, i * i AS square FROM range(1, 4) AS t(i);
SELECT unnest(generate_series(1, 9, 4)) AS n;
SELECT generate_series(1, 3) AS n;
SELECT e.name, s.item, s.amount FROM (VALUES ('north'), ('south')) AS e (name) CROSS JOIN LATERAL (SELECT item, amount FROM sales WHERE region = e.name ORDER BY amount DESC NULLS LAST LIMIT 1) AS s ORDER BY e.name;
WITH numbered AS (SELECT sold_on, region, row_number() OVER (PARTITION BY region ORDER BY sold_on) AS n FROM sales) SELECT region, min(sold_on) AS first, max(sold_on) - min(sold_on) AS days FROM numbered GROUP BY region ORDER BY region;
---
+-------+-----------------+
| level | path            |
+-------+-----------------+
| 0     | Ann             |
| 1     | Ann > Bob       |
| 2     | Ann > Bob > Cid |
| 1     | Ann > Dee       |
| 2     | Ann > Dee > Eve |
| 2     | Ann > Dee > Fay |
+-------+-----------------+
+----+
| a  |
+----+
| 0  |
| 1  |
| 1  |
| 2  |
| 3  |
| 5  |
| 8  |
| 13 |
| 21 |
| 34 |
+----+
+------------+--------+
| day::DATE  | amount |
+------------+--------+
| 2024-01-29 | 0      |
| 2024-01-30 | 7      |
| 2024-01-31 | 0      |
| 2024-02-01 | 0      |
| 2024-02-02 | 40     |
| 2024-02-03 | 0      |
+------------+--------+
+---+--------+
| i | square |
+---+--------+
| 1 | 1      |
| 2 | 4      |
| 3 | 9      |
+---+--------+
+---+
| n |
+---+
| 1 |
| 5 |
| 9 |
+---+
+-----------+
| n         |
+-----------+
| [1, 2, 3] |
+-----------+
+-------+------+--------+
| name  | item | amount |
+-------+------+--------+
| north | pen  | 12     |
| south | ink  | 31     |
+-------+------+--------+
+--------+------------+------+
| region | first      | days |
+--------+------------+------+
| east   | 2024-02-02 | 89   |
| north  | 2024-01-03 | 63   |
| south  | 2024-01-17 | 72   |
+--------+------------+------+

-- text
SELECT concat_ws(', ', name, department, email) AS line, right(name, 2) AS tail, rpad(name, 5, '.') AS padded, position('e' IN name) AS at FROM employees WHERE id <= 3 ORDER BY id;
SELECT split_part(email, '@', 2) AS domain, count(*) FROM employees WHERE email IS NOT NULL GROUP BY domain ORDER BY 2 DESC, 1;
SELECT email, regexp_replace(email, '@.*$', '') AS account, substring(email FROM '@(.*)$') AS domain FROM employees WHERE email ~* 'ORG$' ORDER BY id;
SELECT regexp_extract('tel: 030-1234', '(\d+)-(\d+)', 2) AS number, regexp_matches('abc123', '[0-9]+') AS has, regexp_count('banana', 'an') AS times, regexp_split_to_array('a1b2c', '[0-9]') AS parts;
SELECT format('%s has %s', name, salary) AS text, printf('%05d|%.2f', id, salary) AS line FROM employees WHERE id = 2;
SELECT starts_with('database', 'data') AS a, contains('database', 'tab') AS b, ends_with('database', 'x') AS c, strpos('database', 'base') AS d, left('database', -4) AS e;
SELECT ascii('A') AS a, chr(66) AS b, md5('x') AS c, to_hex(255) AS d, encode('ab'::bytea, 'hex') AS e, repeat('-', 3) AS f, translate('abc', 'ab', 'xy') AS g;
SELECT string_to_array('a,b,c', ',') AS parts, array_to_string(['x', 'y'], '-') AS joined, string_split('a b', ' ') AS words, btrim('  x ') AS trimmed, ltrim('007', '0') AS number;
SELECT E'tab\there' AS escaped, $$it's$$ AS dollar, 'it''s' AS doubled, 'a' || NULL AS nothing, concat('a', NULL, 1) AS some, lower('ÄÖÜ') AS small, length('日本') AS n, octet_length('日本') AS bytes;
---
+-----------------------------+------+--------+----+
| line                        | tail | padded | at |
+-----------------------------+------+--------+----+
| Ann, board, ann@example.com | nn   | Ann..  | 0  |
| Bob, sales, bob@example.com | ob   | Bob..  | 0  |
| Cid, sales                  | id   | Cid..  | 0  |
+-----------------------------+------+--------+----+
+------------------+----------+
| domain           | count(*) |
+------------------+----------+
| example.com      | 2        |
| example.net      | 1        |
| example.org      | 1        |
| mail.example.org | 1        |
+------------------+----------+
+----------------------+---------+------------------+
| email                | account | domain           |
+----------------------+---------+------------------+
| dee@example.org      | dee     | example.org      |
| eve@mail.example.org | eve     | mail.example.org |
+----------------------+---------+------------------+
+--------+------+-------+-----------+
| number | has  | times | parts     |
+--------+------+-------+-----------+
| 1234   | true | 2     | [a, b, c] |
+--------+------+-------+-----------+
+-----------------+---------------+
| text            | line          |
+-----------------+---------------+
| Bob has 5000.00 | 00002|5000.00 |
+-----------------+---------------+
+------+------+-------+---+------+
| a    | b    | c     | d | e    |
+------+------+-------+---+------+
| true | true | false | 5 | data |
+------+------+-------+---+------+
+----+---+----------------------------------+----+------+-----+-----+
| a  | b | c                                | d  | e    | f   | g   |
+----+---+----------------------------------+----+------+-----+-----+
| 65 | B | 9dd4e461268c8034f5c8564e155c67a6 | ff | 6162 | --- | xyc |
+----+---+----------------------------------+----+------+-----+-----+
+-----------+--------+--------+---------+--------+
| parts     | joined | words  | trimmed | number |
+-----------+--------+--------+---------+--------+
| [a, b, c] | x-y    | [a, b] | x       | 7      |
+-----------+--------+--------+---------+--------+
+----------+--------+---------+---------+------+-------+---+-------+
| escaped  | dollar | doubled | nothing | some | small | n | bytes |
+----------+--------+---------+---------+------+-------+---+-------+
| tab	here | it's   | it's    |         | a1   | äöü   | 2 | 6     |
+----------+--------+---------+---------+------+-------+---+-------+

-- times
SELECT extract(dow FROM DATE '2024-02-29') AS dow, extract(isodow FROM DATE '2024-03-03') AS isodow, extract(week FROM DATE '2024-12-30') AS week, extract(doy FROM DATE '2024-12-31') AS doy, extract(epoch FROM TIMESTAMP '1970-01-02') AS epoch, date_part('quarter', DATE '2024-08-01') AS quarter;
SELECT DATE '2024-01-31' + 1 AS next, DATE '2024-03-01' - INTERVAL 1 DAY AS before, TIMESTAMP '2024-01-01 12:00' + INTERVAL '90' MINUTE AS later, TIMESTAMP '2024-01-02' - TIMESTAMP '2024-01-01 06:00' AS span;
SELECT make_date(2024, 2, 29) AS made, to_date('31.01.2024', 'DD.MM.YYYY') AS read, to_timestamp(0) AS epoch, strptime('2024-01-31', '%Y-%m-%d') AS parsed;
SELECT name, age(DATE '2024-01-01', hired) AS tenure, date_diff('year', hired, DATE '2024-01-01') AS years, hired + INTERVAL '6 months' AS trial FROM employees ORDER BY hired LIMIT 3;
SELECT time_bucket(INTERVAL '15 minutes', TIMESTAMP '2024-01-01 10:44:59') AS bucket, date_bin(INTERVAL '1 hour', TIMESTAMP '2024-01-01 10:44:59') AS bin, date_trunc('week', DATE '2024-02-29') AS week, TIME '10:30' AS time;
SELECT TIMESTAMP '2024-07-01 12:00' AT TIME ZONE 'America/New_York' AS there, timezone('UTC', TIMESTAMPTZ '2024-07-01 12:00+02') AS utc, TIMESTAMPTZ '2024-07-01 12:00+02' AS zoned;
SELECT to_char(1234567.891, 'FM9,999,999.00') AS money, to_char(TIMESTAMP '2024-01-05 15:00', 'Day, DD Mon YYYY HH12:MI AM') AS long, current_date = now()::DATE AS today, current_timestamp <= now() AS now;
SELECT sold_on FROM sales WHERE sold_on BETWEEN '2024-02-01' AND '2024-03-31' AND extract(month FROM sold_on) = 3 ORDER BY sold_on;
SELECT count(*) FROM sales WHERE sold_on >= DATE '2024-06-01' - INTERVAL '3 months' AND (sold_on, amount) > ('2024-03-05', 12);
---
+-----+--------+------+-----+---------+---------+
| dow | isodow | week | doy | epoch   | quarter |
+-----+--------+------+-----+---------+---------+
| 4   | 7      | 1    | 366 | 86400.0 | 3       |
+-----+--------+------+-----+---------+---------+
+------------+------------+---------------------+----------+
| next       | before     | later               | span     |
+------------+------------+---------------------+----------+
| 2024-02-01 | 2024-02-29 | 2024-01-01T13:30:00 | 18 hours |
+------------+------------+---------------------+----------+
+------------+------------+----------------------+----------------------+
| made       | read       | epoch                | parsed               |
+------------+------------+----------------------+----------------------+
| 2024-02-29 | 2024-01-31 | 1970-01-01T00:00:00Z | 2024-01-31T00:00:00Z |
+------------+------------+----------------------+----------------------+
+------+-----------------+-------+------------+
| name | tenure          | years | trial      |
+------+-----------------+-------+------------+
| Ann  | 108 mons        | 9     | 2015-07-01 |
| Dee  | 82 mons         | 7     | 2017-09-01 |
| Bob  | 67 mons 22 days | 6     | 2018-11-10 |
+------+-----------------+-------+------------+
+---------------------+---------------------+---------------------+----------+
| bucket              | bin                 | week                | time     |
+---------------------+---------------------+---------------------+----------+
| 2024-01-01T10:30:00 | 2024-01-01T10:00:00 | 2024-02-26T00:00:00 | 10:30:00 |
+---------------------+---------------------+---------------------+----------+
+---------------------------+----------------------+----------------------+
| there                     | utc                  | zoned                |
+---------------------------+----------------------+----------------------+
| 2024-07-01T12:00:00-04:00 | 2024-07-01T10:00:00Z | 2024-07-01T10:00:00Z |
+---------------------------+----------------------+----------------------+
+--------------+---------------------------------+-------+------+
| money        | long                            | today | now  |
+--------------+---------------------------------+-------+------+
| 1,234,567.89 | Friday   , 05 Jan 2024 03:00 PM | true  | true |
+--------------+---------------------------------+-------+------+
+------------+
| sold_on    |
+------------+
| 2024-03-05 |
| 2024-03-06 |
| 2024-03-29 |
+------------+
+----------+
| count(*) |
+----------+
| 3        |
+----------+

-- numbers
SELECT 7 / 2 AS whole, 7.0 / 2 AS exact, -7 % 3 AS rest, 2 ** 10 AS power, round(2.5) AS r, round(1234.567, -2) AS hundreds, trunc(-1.7) AS t, ceil(1.2) AS c, floor(-1.2) AS f, sign(-3) AS s, abs(-2) AS a;
SELECT sqrt(2) AS root, cbrt(27) AS cube, ln(exp(1)) AS one, log(100) AS log, log(2, 8) AS log2, pi() AS pi, degrees(pi()) AS deg, gcd(12, 18) AS g, lcm(4, 6) AS l, factorial(5) AS f;
SELECT 5 & 3 AS a, 5 | 3 AS b, 5 # 3 AS x, ~5 AS n, 1 << 4 AS l, 0x1F AS hex, 1e3 AS e, .5 AS half, div(7, 2) AS d, mod(7, 4) AS m;
SELECT '12'::INT + 1 AS n, '3.50'::DECIMAL(5, 2) AS d, 't'::BOOLEAN AS t, 1::BOOLEAN AS one, TRUE::INT AS i, 3.7::INT AS r, 65::TEXT AS s, TRY_CAST('x' AS INT) AS bad, CAST('1e3' AS DOUBLE) AS e;
SELECT typeof(1) AS a, typeof('x') AS b, typeof(1.5) AS c, typeof(DATE '2024-01-01') AS d, pg_typeof(now()) AS e, typeof([1]) AS f;
SELECT ifnull(NULL, 1) AS a, nvl(NULL, 2) AS b, greatest(1, 5, 3) AS c, least('b', 'a') AS d, nullif('', '') AS e, iif(1 > 2, 'y', 'n') AS f, CASE 3 WHEN 1 THEN 'one' WHEN 3 THEN 'three' END AS g;
---
+-------+--------------------+------+--------+---+----------+------+-----+------+------+---+
| whole | exact              | rest | power  | r | hundreds | t    | c   | f    | s    | a |
+-------+--------------------+------+--------+---+----------+------+-----+------+------+---+
| 3     | 3.5000000000000000 | -1   | 1024.0 | 3 | 1200     | -1.0 | 2.0 | -2.0 | -1.0 | 2 |
+-------+--------------------+------+--------+---+----------+------+-----+------+------+---+
+--------------------+------+-----+-----+------+-------------------+-------+---+----+-----+
| root               | cube | one | log | log2 | pi                | deg   | g | l  | f   |
+--------------------+------+-----+-----+------+-------------------+-------+---+----+-----+
| 1.4142135623730951 | 3.0  | 1.0 | 2.0 | 3.0  | 3.141592653589793 | 180.0 | 6 | 12 | 120 |
+--------------------+------+-----+-----+------+-------------------+-------+---+----+-----+
+---+---+---+----+----+-----+--------+------+---+---+
| a | b | x | n  | l  | hex | e      | half | d | m |
+---+---+---+----+----+-----+--------+------+---+---+
| 1 | 7 | 6 | -6 | 16 | 31  | 1000.0 | 0.5  | 3 | 3 |
+---+---+---+----+----+-----+--------+------+---+---+
+----+------+------+------+---+---+----+-----+--------+
| n  | d    | t    | one  | i | r | s  | bad | e      |
+----+------+------+------+---+---+----+-----+--------+
| 13 | 3.50 | true | true | 1 | 4 | 65 |     | 1000.0 |
+----+------+------+------+---+---+----+-----+--------+
+--------+------+--------------+------+----------------+----------+
| a      | b    | c            | d    | e              | f        |
+--------+------+--------------+------+----------------+----------+
| BIGINT | TEXT | DECIMAL(2,1) | DATE | TIMESTAMPTZ(9) | BIGINT[] |
+--------+------+--------------+------+----------------+----------+
+---+---+---+---+---+---+-------+
| a | b | c | d | e | f | g     |
+---+---+---+---+---+---+-------+
| 1 | 2 | 5 | a |   | n | three |
+---+---+---+---+---+---+-------+

-- aggregates
SELECT median(salary) AS m, quantile_cont(salary, 0.25) AS q, percentile_disc(0.5) WITHIN GROUP (ORDER BY salary) AS d, mode() WITHIN GROUP (ORDER BY salary) AS mode, stddev_pop(salary)::DECIMAL(10, 2) AS s FROM employees;
SELECT arg_max(name, salary) AS best, arg_min(name, salary) AS least, max_by(name, hired) AS newest, any_value(department) IS NOT NULL AS some, bool_and(active) AS all, bool_or(salary > 8000) AS rich FROM employees;
SELECT department, string_agg(name, ', ' ORDER BY name DESC) AS names, array_agg(DISTINCT salary ORDER BY salary) AS salaries, list(id ORDER BY id) AS ids FROM employees GROUP BY department ORDER BY department;
SELECT corr(salary, id)::DECIMAL(5, 3) AS corr, covar_samp(salary, id) AS cov, regr_slope(salary, id)::DECIMAL(10, 3) AS slope, var_pop(id) AS v, sum(DISTINCT salary) AS s, count(DISTINCT (department, salary)) AS pairs, approx_count_distinct(department) AS about FROM employees;
SELECT count(*) AS n, count(amount) AS known, sum(amount), avg(amount)::DECIMAL(10, 2) AS mean, min(item), max(sold_on), first(region ORDER BY sold_on) AS first, last(region ORDER BY sold_on) AS last FROM sales;
---
+---------+--------+---------+---------+---------+
| m       | q      | d       | mode    | s       |
+---------+--------+---------+---------+---------+
| 5800.00 | 5200.0 | 5800.00 | 5800.00 | 1490.43 |
+---------+--------+---------+---------+---------+
+------+-------+--------+------+------+------+
| best | least | newest | some | all  | rich |
+------+-------+--------+------+------+------+
| Ann  | Cid   | Fay    | true | true | true |
+------+-------+--------+------+------+------+
+------------+---------------+--------------------+-----------+
| department | names         | salaries           | ids       |
+------------+---------------+--------------------+-----------+
| board      | Ann           | [9000.00]          | [1]       |
| sales      | Cid, Bob      | [4200.00, 5000.00] | [2, 3]    |
| tech       | Fay, Eve, Dee | [5800.00, 6100.00] | [4, 5, 6] |
+------------+---------------+--------------------+-----------+
+--------+---------+----------+--------------------+----------+-------+-------+
| corr   | cov     | slope    | v                  | s        | pairs | about |
+--------+---------+----------+--------------------+----------+-------+-------+
| -0.383 | -1170.0 | -334.286 | 2.9166666666666665 | 30100.00 | 5     | 3     |
+--------+---------+----------+--------------------+----------+-------+-------+
+---+-------+-------------+-------+-----------+--------------+-------+------+
| n | known | sum(amount) | mean  | min(item) | max(sold_on) | first | last |
+---+-------+-------------+-------+-----------+--------------+-------+------+
| 9 | 8     | 140         | 17.50 | ink       | 2024-05-01   | north | east |
+---+-------+-------------+-------+-----------+--------------+-------+------+

-- lists, structs, maps, JSON
SELECT [1, 2, 3][1] AS first, ARRAY['a', 'b'] AS pair, array_length([1, 2, 3]) AS n, list_contains([1, 2], 2) AS has, list_sort([3, 1, 2]) AS sorted, array_append([1], 2) AS more, [1, 2] || [3] AS joined, [1, 2, 3][2:3] AS slice;
SELECT 2 = ANY(ARRAY[1, 2, 3]) AS is_any, 5 <> ALL([1, 2]) AS is_none, ARRAY[1, 2, 3] @> ARRAY[2] AS holds, list_distinct([1, 1, 2]) AS once, list_sum([1, 2, 3]) AS sum, array_position(['a', 'b'], 'b') AS at, list_reverse([1, 2]) AS back;
SELECT id, word FROM (SELECT sku AS id, string_to_array(tags, ',') AS words FROM product) AS p, unnest(p.words) AS w (word) ORDER BY id, word;
SELECT sku, unnest(string_to_array(tags, ',')) AS tag FROM product WHERE tags IS NOT NULL ORDER BY 1, 2;
SELECT list_transform([1, 2, 3], x -> x * 10) AS scaled, list_filter([1, 2, 3], x -> x > 1) AS large;
SELECT {'name': 'Ann', 'age': 30} AS person, {'name': 'Ann', 'age': 30}['age'] AS age, struct_pack(a := 1, b := 'x') AS packed, MAP {'a': 1, 'b': 2}['b'] AS value, map_keys(MAP {'a': 1}) AS keys;
SELECT '{"a": {"b": [10, 20]}, "c": "x"}'::JSON -> 'a' AS a, '{"a": {"b": [10, 20]}, "c": "x"}' ->> 'c' AS c, json_extract('{"a": {"b": [10, 20]}}', '$.a.b[1]') AS second, json_extract_string('{"c": "x"}', '$.c') AS text, json_array_length('[1, 2, 3]') AS n;
SELECT doc ->> 'name' AS name, (doc ->> 'age')::INT + 1 AS next, doc -> 'tags' ->> 0 AS tag FROM (VALUES ('{"name": "Ann", "age": 41, "tags": ["a"]}'), ('{"name": "Bob"}')) AS d (doc) WHERE doc ->> 'name' LIKE 'A%';
SELECT json_object('name', name, 'id', id) AS doc, to_json(name) AS text FROM employees WHERE id = 1;
---
+-------+--------+---+------+-----------+--------+-----------+--------+
| first | pair   | n | has  | sorted    | more   | joined    | slice  |
+-------+--------+---+------+-----------+--------+-----------+--------+
| 1     | [a, b] | 3 | true | [1, 2, 3] | [1, 2] | [1, 2, 3] | [2, 3] |
+-------+--------+---+------+-----------+--------+-----------+--------+
+--------+---------+-------+--------+-----+----+--------+
| is_any | is_none | holds | once   | sum | at | back   |
+--------+---------+-------+--------+-----+----+--------+
| true   | true    | true  | [1, 2] | 6.0 | 2  | [2, 1] |
+--------+---------+-------+--------+-----+----+--------+
+-----+-------+
| id  | word  |
+-----+-------+
| A-1 | heavy |
| A-1 | iron  |
| B-2 | tin   |
| C-3 | wax   |
| D-4 | heavy |
| D-4 | loud  |
+-----+-------+
+-----+-------+
| sku | tag   |
+-----+-------+
| A-1 | heavy |
| A-1 | iron  |
| B-2 | tin   |
| C-3 | wax   |
| D-4 | heavy |
| D-4 | loud  |
+-----+-------+
+--------------+--------+
| scaled       | large  |
+--------------+--------+
| [10, 20, 30] | [2, 3] |
+--------------+--------+
+----------------------+-----+--------------+-------+------+
| person               | age | packed       | value | keys |
+----------------------+-----+--------------+-------+------+
| {name: Ann, age: 30} | 30  | {a: 1, b: x} | 2     | [a]  |
+----------------------+-----+--------------+-------+------+
+-----------------+---+--------+------+---+
| a               | c | second | text | n |
+-----------------+---+--------+------+---+
| {"b": [10, 20]} | x | 20     | x    | 3 |
+-----------------+---+--------+------+---+
+------+------+-----+
| name | next | tag |
+------+------+-----+
| Ann  | 42   | a   |
+------+------+-----+
+-----------------------+-------+
| doc                   | text  |
+-----------------------+-------+
| {"name":"Ann","id":1} | "Ann" |
+-----------------------+-------+

-- other ways to ask
FROM employees WHERE department = 'sales' ORDER BY id;
TABLE product;
VALUES (1, 'a'), (2, 'b');
SELECT name FROM employees WHERE salary > ALL (SELECT salary FROM employees WHERE department = 'sales') AND salary <> (SELECT max(salary) FROM employees) ORDER BY name;
SELECT name, (SELECT count(*) FROM employees r WHERE r.manager_id = e.id) AS reports, EXISTS (SELECT 1 FROM employees r WHERE r.manager_id = e.id) AS leads FROM employees e ORDER BY id;
SELECT d.department, (SELECT name FROM employees e WHERE e.department = d.department ORDER BY salary DESC, id LIMIT 1) AS best FROM (SELECT DISTINCT department FROM employees) d ORDER BY 1;
SELECT * FROM sales SEMI JOIN (SELECT 'north' AS region) AS n USING (region) WHERE item = 'ink';
SELECT e.name, m.name AS manager FROM employees e LEFT JOIN employees m ON e.manager_id = m.id WHERE e.salary IS DISTINCT FROM m.salary ORDER BY e.id LIMIT 3;
SELECT 1 AS a, 2 AS b UNION ALL BY NAME SELECT 3 AS b, 4 AS a ORDER BY a;
SELECT * EXCLUDE (email, active) REPLACE (upper(name) AS name) FROM employees WHERE name NOT LIKE '%e%' ESCAPE '\' ORDER BY id;
SELECT department d, name AS "Full Name" FROM employees e WHERE (department, salary) IN (('tech', 5800), ('sales', 5000)) ORDER BY e.name DESC FETCH FIRST 2 ROWS ONLY;
SELECT * FROM (SELECT 'x' AS what, 1 AS jan, 2 AS feb) UNPIVOT (amount FOR month IN (jan, feb)) ORDER BY month;
---
+----+------+------------+---------+------------+------------+-----------------+--------+
| id | name | department | salary  | manager_id | hired      | email           | active |
+----+------+------------+---------+------------+------------+-----------------+--------+
| 2  | Bob  | sales      | 5000.00 | 1          | 2018-05-10 | bob@example.com | true   |
| 3  | Cid  | sales      | 4200.00 | 2          | 2019-06-15 |                 | true   |
+----+------+------------+---------+------------+------------+-----------------+--------+
+-----+--------+--------+------------+
| sku | title  | price  | tags       |
+-----+--------+--------+------------+
| A-1 | Anvil  | 49.90  | iron,heavy |
| B-2 | Bucket | 8.00   | tin        |
| C-3 | Candle | 0.99   | wax        |
| D-4 | Drum   | 120.00 | loud,heavy |
+-----+--------+--------+------------+
+---------+---------+
| column1 | column2 |
+---------+---------+
| 1       | a       |
| 2       | b       |
+---------+---------+
+------+
| name |
+------+
| Dee  |
| Eve  |
| Fay  |
+------+
+------+---------+-------+
| name | reports | leads |
+------+---------+-------+
| Ann  | 2       | true  |
| Bob  | 1       | true  |
| Cid  | 0       | false |
| Dee  | 2       | true  |
| Eve  | 0       | false |
| Fay  | 0       | false |
+------+---------+-------+
+------------+------+
| department | best |
+------------+------+
| board      | Ann  |
| sales      | Bob  |
| tech       | Dee  |
+------------+------+
+------------+--------+------+--------+
| sold_on    | region | item | amount |
+------------+--------+------+--------+
| 2024-01-30 | north  | ink  | 7      |
+------------+--------+------+--------+
+------+---------+
| name | manager |
+------+---------+
| Ann  |         |
| Bob  | Ann     |
| Cid  | Bob     |
+------+---------+
+---+---+
| a | b |
+---+---+
| 1 | 2 |
| 4 | 3 |
+---+---+
+----+------+------------+---------+------------+------------+
| id | name | department | salary  | manager_id | hired      |
+----+------+------------+---------+------------+------------+
| 1  | ANN  | board      | 9000.00 |            | 2015-01-01 |
| 2  | BOB  | sales      | 5000.00 | 1          | 2018-05-10 |
| 3  | CID  | sales      | 4200.00 | 2          | 2019-06-15 |
| 6  | FAY  | tech       | 5800.00 | 4          | 2022-02-02 |
+----+------+------------+---------+------------+------------+
+------+-----------+
| d    | Full Name |
+------+-----------+
| tech | Fay       |
| tech | Eve       |
+------+-----------+
+------+-------+--------+
| what | month | amount |
+------+-------+--------+
| x    | feb   | 2      |
| x    | jan   | 1      |
+------+-------+--------+

-- changing rows
INSERT INTO employees (id, name, salary) VALUES (7, 'Gus', 3000) RETURNING *;
INSERT INTO employees (id, name, salary) VALUES (7, 'Gus', 3100), (8, 'Hal', 3200) ON CONFLICT (id) DO UPDATE SET salary = excluded.salary, department = 'new' RETURNING id, department, salary;
INSERT INTO employees (id, name) VALUES (8, 'Ida') ON CONFLICT DO NOTHING;
INSERT INTO employees (id, name, salary) VALUES (9, 'Jon', -1);
UPDATE employees SET salary = salary * 1.1, active = hired < '2018-01-01' WHERE department = 'tech' RETURNING id, salary, active;
UPDATE employees e SET manager_id = m.id FROM employees m WHERE m.name = 'Bob' AND e.department = 'new';
UPDATE employees SET salary = (SELECT avg(salary) FROM employees), email = DEFAULT WHERE id = 7;
UPDATE employees SET email = lower(name) || '@example.com' WHERE email IS NULL;
SELECT id, department, salary, manager_id, email FROM employees WHERE id > 6 OR id = 3 ORDER BY id;
DELETE FROM employees USING (SELECT 'Hal' AS name) AS gone WHERE employees.name = gone.name RETURNING employees.id;
DELETE FROM sales WHERE amount IS NULL;
MERGE INTO employees AS t USING (VALUES (2, 5500), (10, 2500)) AS s (id, salary) ON t.id = s.id WHEN MATCHED THEN UPDATE SET salary = s.salary WHEN NOT MATCHED THEN INSERT (id, name, salary) VALUES (s.id, 'new', s.salary);
WITH gone AS (SELECT id FROM employees WHERE name = 'new') DELETE FROM employees WHERE id IN (SELECT id FROM gone);
SELECT count(*) FILTER (WHERE active) AS active FROM employees;
---
+----+------+------------+---------+------------+------------+-------+--------+
| id | name | department | salary  | manager_id | hired      | email | active |
+----+------+------------+---------+------------+------------+-------+--------+
| 7  | Gus  | none       | 3000.00 |            | 2020-01-01 |       | true   |
+----+------+------------+---------+------------+------------+-------+--------+
+----+------------+---------+
| id | department | salary  |
+----+------------+---------+
| 7  | new        | 3100.00 |
| 8  | none       | 3200.00 |
+----+------------+---------+
INSERT 0
error: InvalidInput, table `employees`, constraint `employees_salary_check`
+----+---------+--------+
| id | salary  | active |
+----+---------+--------+
| 4  | 6710.00 | true   |
| 5  | 6380.00 | false  |
| 6  | 6380.00 | false  |
+----+---------+--------+
UPDATE 1
UPDATE 1
UPDATE 3
+----+------------+---------+------------+-----------------+
| id | department | salary  | manager_id | email           |
+----+------------+---------+------------+-----------------+
| 3  | sales      | 4200.00 | 2          | cid@example.com |
| 7  | new        | 5496.25 | 2          | gus@example.com |
| 8  | none       | 3200.00 |            | hal@example.com |
+----+------------+---------+------------+-----------------+
+----+
| id |
+----+
| 8  |
+----+
DELETE 1
MERGE 2
DELETE 1
+--------+
| active |
+--------+
| 5      |
+--------+

-- declaring
CREATE TABLE tech AS SELECT id, name, salary FROM employees WHERE department = 'tech';
CREATE OR REPLACE TABLE tech AS SELECT * FROM employees WHERE department = 'tech';
CREATE TABLE copy_of (LIKE tech);
ALTER TABLE tech ADD COLUMN bonus INTEGER DEFAULT 5;
ALTER TABLE tech RENAME COLUMN bonus TO extra;
ALTER TABLE tech DROP COLUMN email;
ALTER TABLE tech ALTER COLUMN extra SET NOT NULL, ADD CONSTRAINT no_debt CHECK (extra >= 0);
INSERT INTO tech (id, name, department, extra) VALUES (20, 'Kim', 'tech', -1);
ALTER TABLE tech RENAME TO engineers;
SELECT * FROM engineers ORDER BY id;
CREATE OR REPLACE VIEW paid AS SELECT name, salary FROM employees WHERE salary IS NOT NULL;
SELECT * FROM paid ORDER BY salary DESC LIMIT 2;
CREATE TEMP TABLE scratch (n INT, note TEXT);
INSERT INTO scratch SELECT i, 'row ' || i FROM generate_series(1, 3) AS g (i);
SELECT sum(n) AS sum, max(note) AS last FROM scratch;
CREATE SEQUENCE ticket START 100;
SELECT nextval('ticket') AS first, nextval('ticket') AS second;
DROP VIEW paid;
DROP TABLE IF EXISTS copy_of;
---
warning: table `tech`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE 3
warning: table `tech`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE 3
warning: table `copy_of`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE
ALTER TABLE
ALTER TABLE
ALTER TABLE
ALTER TABLE
error: InvalidInput, table `tech`, constraint `no_debt`
ALTER TABLE
+----+------+------------+---------+------------+------------+--------+-------+
| id | name | department | salary  | manager_id | hired      | active | extra |
+----+------+------------+---------+------------+------------+--------+-------+
| 4  | Dee  | tech       | 6710.00 | 1          | 2017-03-01 | true   | 5     |
| 5  | Eve  | tech       | 6380.00 | 4          | 2021-11-11 | false  | 5     |
| 6  | Fay  | tech       | 6380.00 | 4          | 2022-02-02 | false  | 5     |
+----+------+------------+---------+------------+------------+--------+-------+
CREATE VIEW
+------+---------+
| name | salary  |
+------+---------+
| Ann  | 9000.00 |
| Dee  | 6710.00 |
+------+---------+
warning: table `scratch`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE
INSERT 3
+-----+-------+
| sum | last  |
+-----+-------+
| 6   | row 3 |
+-----+-------+
CREATE SEQUENCE
+-------+--------+
| first | second |
+-------+--------+
| 100   | 101    |
+-------+--------+
DROP VIEW
DROP TABLE

-- files
COPY (SELECT id, name, salary FROM employees ORDER BY id LIMIT 2) TO 'DIRECTORY/staff.csv' (HEADER);
SELECT * FROM 'DIRECTORY/staff.csv';
SELECT sum(salary) AS paid FROM read_csv('DIRECTORY/staff.csv', header => true);
CREATE TABLE staff (id INT PRIMARY KEY, name TEXT, salary DOUBLE);
COPY staff FROM 'DIRECTORY/staff.csv' (HEADER);
COPY staff TO 'DIRECTORY/staff.parquet';
DESCRIBE 'DIRECTORY/staff.parquet';
SELECT count(*) FROM 'DIRECTORY/staff.parquet' WHERE salary > 8000;
DROP TABLE staff;
---
COPY 2
+----+------+--------+
| id | name | salary |
+----+------+--------+
| 1  | Ann  | 9000.0 |
| 2  | Bob  | 5500.0 |
+----+------+--------+
+---------+
| paid    |
+---------+
| 14500.0 |
+---------+
CREATE TABLE
COPY 2
COPY 2
+--------+--------+------+
| column | type   | null |
+--------+--------+------+
| id     | INT    | true |
| name   | TEXT   | true |
| salary | DOUBLE | true |
+--------+--------+------+
+----------+
| count(*) |
+----------+
| 1        |
+----------+
DROP TABLE

-- what is there
SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name;
SELECT column_name, data_type, is_nullable, column_default FROM information_schema.columns WHERE table_name = 'employees' ORDER BY ordinal_position;
SELECT constraint_name, constraint_type FROM information_schema.table_constraints WHERE table_name IN ('employees', 'engineers', 'sales') ORDER BY ALL;
SHOW TABLES;
SHOW TIME ZONE;
DESCRIBE sales;
SHOW CREATE TABLE engineers;
SUMMARIZE SELECT id, department FROM employees;
SELECT current_user IS NOT NULL AS who, current_database() AS db, current_schema() AS place;
EXPLAIN SELECT name FROM employees WHERE id = 3;
---
+------------+------------+
| table_name | table_type |
+------------+------------+
| customer   | BASE TABLE |
| employees  | BASE TABLE |
| engineers  | BASE TABLE |
| orders     | BASE TABLE |
| product    | BASE TABLE |
| sales      | BASE TABLE |
+------------+------------+
+-------------+----------------+-------------+-------------------+
| column_name | data_type      | is_nullable | column_default    |
+-------------+----------------+-------------+-------------------+
| id          | INT            | NO          |                   |
| name        | TEXT           | NO          |                   |
| department  | VARCHAR(20)    | NO          | 'none'            |
| salary      | DECIMAL(10, 2) | YES         |                   |
| manager_id  | INT            | YES         |                   |
| hired       | DATE           | YES         | DATE '2020-01-01' |
| email       | TEXT           | YES         |                   |
| active      | BOOLEAN        | YES         | true              |
+-------------+----------------+-------------+-------------------+
+------------------------+-----------------+
| constraint_name        | constraint_type |
+------------------------+-----------------+
| employees_pkey         | PRIMARY KEY     |
| employees_salary_check | CHECK           |
| no_debt                | CHECK           |
+------------------------+-----------------+
+-----------+
| table     |
+-----------+
| customer  |
| employees |
| engineers |
| orders    |
| product   |
| sales     |
| scratch   |
+-----------+
+--------------------------------+-------+
| name                           | value |
+--------------------------------+-------+
| datafusion.execution.time_zone | UTC   |
+--------------------------------+-------+
+---------+------+------+-----+---------+--------+
| column  | type | null | key | default | checks |
+---------+------+------+-----+---------+--------+
| sold_on | DATE | true |     |         |        |
| region  | TEXT | true |     |         |        |
| item    | TEXT | true |     |         |        |
| amount  | INT  | true |     |         |        |
+---------+------+------+-----+---------+--------+
+-----------+-------------------------------------------+
| table     | statement                                 |
+-----------+-------------------------------------------+
| engineers | CREATE TABLE engineers (                  |
|           |     id INT,                               |
|           |     name TEXT,                            |
|           |     department TEXT,                      |
|           |     salary DECIMAL(10, 2),                |
|           |     manager_id INT,                       |
|           |     hired DATE,                           |
|           |     active BOOLEAN,                       |
|           |     extra INT NOT NULL DEFAULT 5,         |
|           |     CONSTRAINT no_debt CHECK (extra >= 0) |
|           | )                                         |
+-----------+-------------------------------------------+
+------------+------+-------+------+---------------+-----+-------------------+------+-----+------+-------+-----------------+
| column     | type | min   | max  | approx_unique | avg | std               | q25  | q50 | q75  | count | null_percentage |
+------------+------+-------+------+---------------+-----+-------------------+------+-----+------+-------+-----------------+
| id         | INT  | 1     | 7    | 7             | 4.0 | 2.160246899469287 | 2.25 | 4.0 | 5.75 | 7     | 0.0             |
| department | TEXT | board | tech | 4             |     |                   |      |     |      | 7     | 0.0             |
+------------+------+-------+------+---------------+-----+-------------------+------+-----+------+-------+-----------------+
+------+--------+--------+
| who  | db     | place  |
+------+--------+--------+
| true | halite | public |
+------+--------+--------+
+---------------+--------------------------------------------------------------------------------+
| plan_type     | plan                                                                           |
+---------------+--------------------------------------------------------------------------------+
| logical_plan  | TableScan: employees projection=[name], full_filters=[employees.id = Int32(3)] |
| physical_plan | ScanExec: table=employees, ranges=1, order=none, projection=[name]             |
|               |                                                                                |
+---------------+--------------------------------------------------------------------------------+

-- replaced in part, between, times and buckets
INSERT OR REPLACE INTO employees (id, name) VALUES (3, 'Cyd');
SELECT * FROM employees WHERE id = 3;
SELECT 5 BETWEEN SYMMETRIC 7 AND 3 AS inside, 5 NOT BETWEEN SYMMETRIC 7 AND 3 AS outside, 5 BETWEEN ASYMMETRIC 7 AND 3 AS plain;
SELECT id FROM employees WHERE id BETWEEN SYMMETRIC 4 AND 2 ORDER BY id;
SELECT make_timestamp(2024, 2, 29, 12, 30, 1.5) AS at, width_bucket(5.35, 0.024, 10.06, 5) AS bucket;
SET TIME ZONE 'Europe/Berlin';
SELECT to_timestamp(0) AS epoch, extract(epoch FROM to_timestamp(0)) AS seconds;
RESET datafusion.execution.time_zone;
---
INSERT 1
+----+------+------------+---------+------------+------------+-----------------+--------+
| id | name | department | salary  | manager_id | hired      | email           | active |
+----+------+------------+---------+------------+------------+-----------------+--------+
| 3  | Cyd  | sales      | 4200.00 | 2          | 2019-06-15 | cid@example.com | true   |
+----+------+------------+---------+------------+------------+-----------------+--------+
+--------+---------+-------+
| inside | outside | plain |
+--------+---------+-------+
| true   | false   | false |
+--------+---------+-------+
+----+
| id |
+----+
| 2  |
| 3  |
| 4  |
+----+
+-------------------------+--------+
| at                      | bucket |
+-------------------------+--------+
| 2024-02-29T12:30:01.500 | 3      |
+-------------------------+--------+
SET
+---------------------------+---------+
| epoch                     | seconds |
+---------------------------+---------+
| 1970-01-01T01:00:00+01:00 | 0.0     |
+---------------------------+---------+
RESET

-- values inside of values
CREATE TABLE shapes (id INT PRIMARY KEY, at STRUCT(x INT, y INT, tags STRUCT("date" DATE, names TEXT[])), m MAP(INT, TEXT), lasts INTERVAL);
INSERT INTO shapes VALUES (1, '{"x": 1, "y": 2, "tags": {"date": "2024-01-31", "names": ["a"]}}', '{"7": "seven"}', '90 minutes');
INSERT INTO shapes (id, at) VALUES (2, {'x': 3, 'y': 4, 'tags': NULL});
SELECT id, at['x'] AS x, at['tags']['names'][1] AS name, m, lasts FROM shapes ORDER BY id;
SELECT typeof(at) FROM shapes LIMIT 1;
SHOW CREATE TABLE shapes;
COPY shapes (id, lasts) TO 'DIRECTORY/lasts.parquet';
SELECT * FROM 'DIRECTORY/lasts.parquet' ORDER BY id;
---
CREATE TABLE
INSERT 1
INSERT 1
+----+---+------+------------+-----------------+
| id | x | name | m          | lasts           |
+----+---+------+------------+-----------------+
| 1  | 1 | a    | {7: seven} | 1 hours 30 mins |
| 2  | 3 |      |            |                 |
+----+---+------+------------+-----------------+
+------------------------------------------------------------+
| typeof(at)                                                 |
+------------------------------------------------------------+
| STRUCT<x INT, y INT, tags STRUCT<date DATE, names TEXT[]>> |
+------------------------------------------------------------+
+--------+--------------------------------------------------------------------+
| table  | statement                                                          |
+--------+--------------------------------------------------------------------+
| shapes | CREATE TABLE shapes (                                              |
|        |     id INT NOT NULL,                                               |
|        |     at STRUCT<x INT, y INT, tags STRUCT<date DATE, names TEXT[]>>, |
|        |     m MAP(INT, TEXT),                                              |
|        |     lasts INTERVAL,                                                |
|        |     PRIMARY KEY (id)                                               |
|        | )                                                                  |
+--------+--------------------------------------------------------------------+
COPY 2
+----+-----------------+
| id | lasts           |
+----+-----------------+
| 1  | 1 hours 30 mins |
| 2  |                 |
+----+-----------------+

-- generated columns of a row that is inserted, and a sequence that goes
CREATE TABLE areas (id INT PRIMARY KEY, w INT, h INT, area INT GENERATED ALWAYS AS (w * h) STORED);
INSERT INTO areas (id, w, h) VALUES (1, 2, 3);
INSERT INTO areas (id, w, h) VALUES (1, 4, 5) ON CONFLICT (id) DO UPDATE SET w = excluded.area, h = areas.area;
SELECT * FROM areas;
CREATE SEQUENCE tickets;
DROP SEQUENCE tickets CASCADE;
DROP SEQUENCE IF EXISTS tickets CASCADE;
COMMENT ON TABLE areas IS 'what is measured';
SELECT table_comment FROM information_schema.tables WHERE table_name = 'areas';
---
CREATE TABLE
INSERT 1
INSERT 1
+----+----+---+------+
| id | w  | h | area |
+----+----+---+------+
| 1  | 20 | 6 | 120  |
+----+----+---+------+
CREATE SEQUENCE
DROP SEQUENCE
DROP SEQUENCE
COMMENT
+------------------+
| table_comment    |
+------------------+
| what is measured |
+------------------+

-- what there is not, and is told
BEGIN;
CREATE INDEX by_name ON employees (name);
CREATE SCHEMA other;
GRANT SELECT ON employees TO PUBLIC;
VACUUM;
ANALYZE employees;
PRAGMA table_info('sales');
SELECT COLUMNS('.*id') FROM employees;
SELECT tablename FROM pg_tables;
COMMIT;
DROP INDEX by_name;
CREATE DATABASE other;
USE other;
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE DOMAIN positive AS INT CHECK (VALUE > 0);
CREATE FUNCTION twice(a INT) RETURNS INT LANGUAGE sql RETURN a * 2;
CREATE TRIGGER t BEFORE INSERT ON employees FOR EACH ROW EXECUTE FUNCTION f();
CREATE ROLE reader;
SHOW INDEXES FROM employees;
SHOW DATABASES;
LOCK TABLE employees;
CALL refresh();
COPY employees (id, name) FROM 'nowhere.csv' (REPLACE);
SELECT row_to_json(employees) FROM employees;
---
error: NotSupported: a transaction of several statements is not implemented; each statement is done as a whole or not at all by itself: leave this one out, and of changes that belong together make one statement, such as MERGE INTO or INSERT … SELECT
error: NotSupported: an index
error: NotSupported: CREATE SCHEMA
error: NotSupported: a user, a role or a right
+---------------+----------------------------------------------------------+
| about         | value                                                    |
+---------------+----------------------------------------------------------+
| nothing to do | memory is given back as soon as nobody reads it any more |
+---------------+----------------------------------------------------------+
error: NotSupported: ANALYZE
error: NotSupported: PRAGMA
error: InvalidInput
error: InvalidInput, table `pg_tables`
error: NotSupported: a transaction of several statements
error: NotSupported: an index
error: NotSupported: CREATE DATABASE
error: NotSupported: USE
error: NotSupported: CREATE TYPE
error: NotSupported: CREATE DOMAIN
error: NotSupported: CREATE FUNCTION
error: NotSupported: CREATE TRIGGER
error: NotSupported: a user, a role or a right
error: NotSupported: SHOW INDEX
error: NotSupported: SHOW DATABASES
error: NotSupported: LOCK
error: NotSupported: a procedure
error: NotSupported, table `employees`: table `employees`: COPY of some columns with REPLACE
error: InvalidInput

PIVOT sales ON region USING sum(amount);
---
error: InvalidInput

SELECT o.id, s.sold_on FROM orders o ASOF JOIN sales s ON o.placed >= s.sold_on;
---
error: InvalidInput

CHECKPOINT;
---
error: NotSupported: CHECKPOINT

UPSERT INTO employees (id, name) VALUES (1, 'x');
---
error: NotSupported: UPSERT

LISTEN changes;
---
error: NotSupported: LISTEN or NOTIFY

REFRESH MATERIALIZED VIEW m;
---
error: NotSupported: REFRESH

CREATE PROCEDURE p() AS BEGIN SELECT 1
---
error: InvalidInput

