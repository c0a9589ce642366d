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
+----------+-------------+----------------------+------------+------------+-------------+-------------+
| count(*) | count(city) | count(DISTINCT city) | min(since) | max(since) | sum(credit) | avg(credit) |
+----------+-------------+----------------------+------------+------------+-------------+-------------+
| 5        | 4           | 3                    | 2019-03-01 | 2024-02-29 | 1325.50     | 331.375000  |
+----------+-------------+----------------------+------------+------------+-------------+-------------+

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
+-------+--------+------+-------+-------+------+--------+----------+
| whole | exact  | rest | power | bound | bits | big    | thousand |
+-------+--------+------+-------+-------+------+--------+----------+
| 3     | 3.5000 | 1    | 8.0   | 16.0  | 5    | 1000.0 | 1000     |
+-------+--------+------+-------+-------+------+--------+----------+
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
error: row 1: table `customer`: a row with (id = 1) is there already, under the row key /1
INSERT 1
error: row 1: table `customer`: 2 values are given for 5 columns
error: row 1: table `customer`: column `since` of type DATE cannot hold '2024-02-30': it is no date such as 2024-01-31
error: row 1: table `product`: column `sku` of type VARCHAR(12) cannot hold 'much-too-long-sku': it has more than 12 characters
error: row 1: table `product`: column `price` of type DECIMAL(8, 2) cannot hold 12345678.90: it is out of range
error: Schema error: No field named nme. Did you mean 'customer.name'?
Valid fields are customer.id, customer.name, customer.city, customer.since, customer.credit.
error: Error during planning: table 'halite.public.custmer' not found
error: Error during planning: Invalid function 'lenght'.
Did you mean 'length'?
error: Error during planning: Column in SELECT must be in GROUP BY or an aggregate function: While expanding wildcard, column "customer.name" must appear in the GROUP BY clause or must be part of an aggregate function, currently only "count(Int64(1))" appears in the SELECT clause satisfies this requirement
error: Arrow error: Divide by zero error
error: Arrow error: Cast error: Cannot cast string 'abc' to value of Int32 type

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
+--------+---------------+-------+--------+
| column | type          | null  | key    |
+--------+---------------+-------+--------+
| sku    | VARCHAR(12)   | false | 1: sku |
| title  | TEXT          | true  |        |
| price  | DECIMAL(8, 2) | true  |        |
| tags   | TEXT          | true  |        |
+--------+---------------+-------+--------+
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
error: there is no table `item`; there are customer, orders, product

