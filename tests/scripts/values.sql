-- what is assigned is rounded to the nearest value; a column of the key refuses it
CREATE TABLE q (id INT PRIMARY KEY, ts TIMESTAMP(3), n DECIMAL(5, 2), i INT);
INSERT INTO q VALUES (1, '2024-01-01 00:00:00.0006', 1.005, 2.5), (2, '1969-12-31 23:59:59.9994', -1.005, -2.5);
INSERT INTO q (id, ts) VALUES (3, '1969-12-31 23:59:59.9995'), (4, '2024-01-01 00:00:00.0005'), (5, '3001-01-01 00:00:00.9995');
UPDATE q SET ts = TIMESTAMP '2024-01-01 00:00:00.0007', n = 2.345 WHERE id = 5;
PREPARE p AS INSERT INTO q (id, ts) VALUES ($1, $2);
EXECUTE p(6, '2024-02-29 12:00:00.0004999');
EXECUTE p(7, TIMESTAMP '2024-02-29 12:00:00.000500001');
SELECT * FROM q ORDER BY id;
CREATE TABLE k (ts TIMESTAMP(3), n DECIMAL(5, 2), PRIMARY KEY (ts, n));
INSERT INTO k VALUES ('2024-01-01 00:00:00.0006', 1);
INSERT INTO k SELECT ts, 1.005 FROM q;
INSERT INTO k VALUES ('2024-01-01 00:00:00.0010', 1.0100);
UPDATE k SET ts = CAST(ts AS TIMESTAMP(6)) + INTERVAL '1 microsecond';
INSERT INTO k VALUES (CAST(TIMESTAMP '2024-01-01 00:00:00.0026' AS TIMESTAMP(3)), 1);
SELECT * FROM k ORDER BY ts;
---
CREATE TABLE
INSERT 2
INSERT 3
UPDATE 1
PREPARE
INSERT 1
INSERT 1
+----+-------------------------+-------+----+
| id | ts                      | n     | i  |
+----+-------------------------+-------+----+
| 1  | 2024-01-01T00:00:00.001 | 1.01  | 3  |
| 2  | 1969-12-31T23:59:59.999 | -1.01 | -3 |
| 3  | 1969-12-31T23:59:59.999 |       |    |
| 4  | 2024-01-01T00:00:00.001 |       |    |
| 5  | 2024-01-01T00:00:00.001 | 2.35  |    |
| 6  | 2024-02-29T12:00:00     |       |    |
| 7  | 2024-02-29T12:00:00.001 |       |    |
+----+-------------------------+-------+----+
warning: table `k`: leading timestamp `ts`: rows that arrive in the order of time are all written at one end of the table; salt(n) or bucket(n, …) in front spreads them
CREATE TABLE
error: InvalidInput, table `k`, column `ts`: row 1: table `k`: column `ts` of type TIMESTAMP(3) cannot hold '2024-01-01 00:00:00.0006' exactly: it is part of the row key, where two rows could become one; round it, or write CAST(… AS TIMESTAMP(3))
error: InvalidInput, table `k`, column `n`
INSERT 1
error: InvalidInput, table `k`, column `ts`
INSERT 1
+-------------------------+------+
| ts                      | n    |
+-------------------------+------+
| 2024-01-01T00:00:00.001 | 1.01 |
| 2024-01-01T00:00:00.002 | 1.00 |
+-------------------------+------+

-- a NULL that is written makes a condition that no row meets
CREATE TABLE x (a INT, b TEXT, c DOUBLE, PRIMARY KEY (a, b));
EXPLAIN KEYS SELECT * FROM x WHERE a * NULL = 3;
EXPLAIN KEYS SELECT * FROM x WHERE a + NULL > 3 AND b = 'x';
EXPLAIN KEYS SELECT * FROM x WHERE 3 <= a - NULL;
EXPLAIN KEYS SELECT * FROM x WHERE a % NULL = 1;
EXPLAIN KEYS SELECT * FROM x WHERE a / NULL = 1;
EXPLAIN KEYS SELECT * FROM x WHERE -(a + NULL) = 1;
EXPLAIN KEYS SELECT * FROM x WHERE b || NULL = 'x';
EXPLAIN KEYS SELECT * FROM x WHERE b LIKE NULL;
EXPLAIN KEYS SELECT * FROM x WHERE b ~ NULL;
EXPLAIN KEYS SELECT * FROM x WHERE b ILIKE NULL;
EXPLAIN KEYS SELECT * FROM x WHERE a & NULL = 1;
EXPLAIN KEYS SELECT * FROM x WHERE NOT (a * NULL = 3);
EXPLAIN KEYS SELECT * FROM x WHERE a IN (NULL, NULL);
EXPLAIN KEYS SELECT * FROM x WHERE a NOT IN (1, NULL);
EXPLAIN KEYS SELECT * FROM x WHERE a BETWEEN NULL AND NULL;
EXPLAIN KEYS SELECT * FROM x WHERE c * NULL = 1.5;
EXPLAIN KEYS SELECT * FROM x WHERE abs(a + NULL) = 1;
EXPLAIN KEYS SELECT * FROM x WHERE (a = NULL) = true;
EXPLAIN KEYS SELECT * FROM x WHERE (a, b) = (NULL, 'x');
EXPLAIN KEYS SELECT * FROM x WHERE (a, b) < (NULL, 'x');
EXPLAIN KEYS SELECT * FROM x WHERE a = 1 AND NULL;
EXPLAIN KEYS SELECT * FROM x WHERE a = 1 OR a = NULL;
EXPLAIN KEYS SELECT * FROM x WHERE a IS NOT DISTINCT FROM NULL;
---
CREATE TABLE
x empty   ..  tight
x empty   ..  tight
x empty   ..  tight
 empty   ..  tight
 empty   ..  tight
x empty   ..  tight
x empty   ..  tight
 empty   ..  tight
 empty   ..  tight
 empty   ..  tight
 empty   ..  tight
x empty   ..  tight
 empty   ..  tight
 empty   ..  tight
 empty   ..  tight
 empty   ..  tight
x empty   ..  tight
 empty   ..  tight
 empty   ..  tight
 empty   ..  tight
x empty   ..  tight
x range /1/*  80000001..80000002  tight
 empty   ..  tight

-- what begins the dump of another database
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET search_path = public;
SET client_encoding = 'LATIN1';
SET statement_timeout = 5000;
SET standard_conforming_strings = off;
CREATE TABLE public.c (id INT, note TEXT, PRIMARY KEY (id));
INSERT INTO public.c VALUES (1, 'one');
ALTER TABLE public.c ADD COLUMN more INT;
CREATE VIEW public.v AS SELECT id FROM public.c;
CREATE SEQUENCE public.s;
COMMENT ON TABLE public.c IS 'of a dump';
COMMENT ON COLUMN public.c.note IS 'a text';
TRUNCATE TABLE public.c;
SELECT * FROM halite.public.c;
CREATE TABLE shop.c (id INT);
DROP SEQUENCE public.s;
DROP VIEW public.v;
DROP TABLE public.c;
---
warning: `statement_timeout` is a setting of another database: it is taken, and changes nothing
SET
warning: `lock_timeout` is a setting of another database: it is taken, and changes nothing
SET
warning: `idle_in_transaction_session_timeout` is a setting of another database: it is taken, and changes nothing
SET
warning: `client_encoding` is a setting of another database: it is taken, and changes nothing
SET
warning: `standard_conforming_strings` is a setting of another database: it is taken, and changes nothing
SET
warning: `check_function_bodies` is a setting of another database: it is taken, and changes nothing
SET
warning: `xmloption` is a setting of another database: it is taken, and changes nothing
SET
warning: `client_min_messages` is a setting of another database: it is taken, and changes nothing
SET
warning: `row_security` is a setting of another database: it is taken, and changes nothing
SET
warning: `default_tablespace` is a setting of another database: it is taken, and changes nothing
SET
warning: `search_path` is a setting of another database: it is taken, and changes nothing
SET
error: NotSupported: `client_encoding` cannot be 'LATIN1': texts are UTF-8: convert the file, as with iconv
error: NotSupported
error: NotSupported
CREATE TABLE
INSERT 1
ALTER TABLE
CREATE VIEW
CREATE SEQUENCE
COMMENT
COMMENT
TRUNCATE
++
++
error: NotSupported
DROP SEQUENCE
DROP VIEW
DROP TABLE

-- what a generated column comes to is given back
CREATE TABLE sale (id INT PRIMARY KEY, price DECIMAL(8, 2), count INT, total DECIMAL(10, 2) AS (price * count), big BOOLEAN AS (price > 10));
INSERT INTO sale VALUES (1, 2.5, 4), (2, 20, 1) RETURNING *;
INSERT INTO sale (count, price, id) SELECT 2, 3, 3 RETURNING id, total + 1 AS more;
UPDATE sale SET count = count + 1 WHERE id < 3 RETURNING id, count, total, big;
INSERT INTO sale VALUES (1, 5, 5) ON CONFLICT (id) DO UPDATE SET price = excluded.price RETURNING *;
INSERT OR REPLACE INTO sale VALUES (2, 7, 7) RETURNING total, id;
MERGE INTO sale USING (VALUES (3, 4.0), (4, 11.0)) AS s (id, price) ON s.id = sale.id WHEN MATCHED THEN UPDATE SET price = s.price WHEN NOT MATCHED THEN INSERT (id, price, count) VALUES (s.id, s.price, 1) RETURNING sale.id, sale.total, sale.big;
DELETE FROM sale WHERE id = 4 RETURNING total;
PREPARE more AS INSERT INTO sale VALUES ($1, $2, 2) RETURNING total, big;
EXECUTE more(5, 50);
EXECUTE more(6, 6);
SELECT * FROM sale ORDER BY id;
COPY sale TO 'DIRECTORY/sale.csv';
CREATE TABLE sale2 (id INT PRIMARY KEY, price DECIMAL(8, 2), count INT, total DECIMAL(10, 2) AS (price * count), big BOOLEAN AS (price > 10));
COPY sale2 FROM 'DIRECTORY/sale.csv';
SELECT count(*) FROM (SELECT * FROM sale EXCEPT SELECT * FROM sale2);
COPY (SELECT * FROM sale) TO 'DIRECTORY/all.csv';
COPY sale2 FROM 'DIRECTORY/all.csv' (REPLACE);
---
CREATE TABLE
+----+-------+-------+-------+-------+
| id | price | count | total | big   |
+----+-------+-------+-------+-------+
| 1  | 2.50  | 4     | 10.00 | false |
| 2  | 20.00 | 1     | 20.00 | true  |
+----+-------+-------+-------+-------+
+----+------+
| id | more |
+----+------+
| 3  | 7.00 |
+----+------+
+----+-------+-------+-------+
| id | count | total | big   |
+----+-------+-------+-------+
| 1  | 5     | 12.50 | false |
| 2  | 2     | 40.00 | true  |
+----+-------+-------+-------+
+----+-------+-------+-------+-------+
| id | price | count | total | big   |
+----+-------+-------+-------+-------+
| 1  | 5.00  | 5     | 25.00 | false |
+----+-------+-------+-------+-------+
+-------+----+
| total | id |
+-------+----+
| 49.00 | 2  |
+-------+----+
+----+-------+-------+
| id | total | big   |
+----+-------+-------+
| 3  | 8.00  | false |
| 4  | 11.00 | true  |
+----+-------+-------+
+-------+
| total |
+-------+
| 11.00 |
+-------+
PREPARE
+--------+------+
| total  | big  |
+--------+------+
| 100.00 | true |
+--------+------+
+-------+-------+
| total | big   |
+-------+-------+
| 12.00 | false |
+-------+-------+
+----+-------+-------+--------+-------+
| id | price | count | total  | big   |
+----+-------+-------+--------+-------+
| 1  | 5.00  | 5     | 25.00  | false |
| 2  | 7.00  | 7     | 49.00  | false |
| 3  | 4.00  | 2     | 8.00   | false |
| 5  | 50.00 | 2     | 100.00 | true  |
| 6  | 6.00  | 2     | 12.00  | false |
+----+-------+-------+--------+-------+
COPY 5
CREATE TABLE
COPY 5
+----------+
| count(*) |
+----------+
| 0        |
+----------+
COPY 5
error: InvalidInput

-- a query of WITH is computed once, however often it is read
CREATE SEQUENCE seq;
WITH x AS (SELECT nextval('seq') AS n) SELECT a.n, b.n = a.n AS same FROM x AS a, x AS b;
WITH x AS (SELECT i, random() AS r FROM generate_series(1, 5) AS g(i)) SELECT count(*) FROM x AS a JOIN x AS b ON a.i = b.i AND a.r = b.r;
WITH x AS (SELECT uuid() AS u) SELECT (SELECT u FROM x) = (SELECT u FROM x) AS same;
WITH x AS (SELECT random() AS r), y AS (SELECT r FROM x) SELECT x.r = y.r AS same, y.r = z.r AS also FROM x, y, y AS z;
WITH x AS (SELECT random() AS r) SELECT count(DISTINCT r) FROM (SELECT r FROM x UNION ALL SELECT r FROM x);
SELECT a.r = b.r AS same FROM (SELECT random() AS r) AS a, (SELECT random() AS r) AS b;
PREPARE twice AS WITH x AS (SELECT nextval('seq') AS n) SELECT a.n, b.n + $1 AS more FROM x AS a, x AS b;
EXECUTE twice(10);
EXECUTE twice(20);
CREATE TABLE drawn (r DOUBLE, s DOUBLE) AS WITH x AS (SELECT random() AS r) SELECT a.r, b.r AS s FROM x AS a, x AS b;
SELECT count(*) FROM drawn WHERE r = s;
SELECT * FROM (WITH x AS (SELECT random() AS r) SELECT a.r = b.r AS same FROM x AS a, x AS b) AS p, (WITH x AS (SELECT 1 AS r) SELECT r FROM x) AS q;
---
CREATE SEQUENCE
+---+------+
| n | same |
+---+------+
| 1 | true |
+---+------+
+----------+
| count(*) |
+----------+
| 5        |
+----------+
+------+
| same |
+------+
| true |
+------+
+------+------+
| same | also |
+------+------+
| true | true |
+------+------+
+-------------------+
| count(DISTINCT r) |
+-------------------+
| 1                 |
+-------------------+
+-------+
| same  |
+-------+
| false |
+-------+
PREPARE
+---+------+
| n | more |
+---+------+
| 2 | 12   |
+---+------+
+---+------+
| n | more |
+---+------+
| 3 | 23   |
+---+------+
warning: table `drawn`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE 1
+----------+
| count(*) |
+----------+
| 1        |
+----------+
error: NotSupported

-- a view keeps the names of the columns that it reads, and of no other
CREATE TABLE base (a INT PRIMARY KEY, b INT, c INT, d INT);
CREATE VIEW some AS SELECT a, b * 2 AS twice, count(*) AS n FROM base GROUP BY a, b;
ALTER TABLE base RENAME COLUMN c TO cost;
ALTER TABLE base DROP COLUMN d;
ALTER TABLE base RENAME COLUMN b TO bb;
ALTER TABLE base RENAME COLUMN cost TO b;
SELECT * FROM some;
CREATE VIEW every AS SELECT * FROM base;
ALTER TABLE base RENAME COLUMN cost TO c;
CREATE VIEW lost AS SELECT * FROM nosuch;
---
CREATE TABLE
CREATE VIEW
ALTER TABLE
ALTER TABLE
error: Conflict, table `base`: table `base`: the view `some` reads the table: drop the view first, and make it again
error: Conflict, table `base`
++
++
CREATE VIEW
error: Conflict, table `base`
error: InvalidInput, table `nosuch`

-- the condition that a value has no answer for is named
CREATE TABLE word (m TEXT PRIMARY KEY, n INT);
INSERT INTO word VALUES ('m0', 0), ('1', 1);
SELECT * FROM word WHERE m = 1;
SELECT * FROM word WHERE 10 / n > 3;
---
CREATE TABLE
INSERT 2
error: InvalidInput
error: InvalidInput

