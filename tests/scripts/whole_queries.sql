-- Queries that the layers below answer wrongly. What is right stands over each statement, by hand.
CREATE TABLE dk (x DOUBLE, PRIMARY KEY (x));
INSERT INTO dk VALUES (9.204938554384977), (1.9999999999999998);
CREATE TABLE m (k INT, d DECIMAL(30,16), PRIMARY KEY (k));
INSERT INTO m VALUES (1, 1.9999999999999998);
CREATE TABLE t (id INT, f INT, PRIMARY KEY (id));
INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
CREATE TABLE ab (a INT, b INT, PRIMARY KEY (a, b));
INSERT INTO ab VALUES (1, 1), (1, 2), (2, 1);
CREATE TABLE u (id INT, PRIMARY KEY (id));
INSERT INTO u VALUES (3), (6), (7);
CREATE TABLE ae (a INT, e INT, id INT, PRIMARY KEY (a, e));
INSERT INTO ae VALUES (9, 1, 6), (9, 2, 3), (11, 1, 7);
CREATE TABLE texts (id INT, u TEXT NOT NULL, PRIMARY KEY (u));
INSERT INTO texts VALUES (1, 'a'), (2, 'abc'), (3, 'b');
CREATE TABLE outer_side (id INT NOT NULL, c BIGINT NULL, g BOOLEAN NULL, PRIMARY KEY (c DESC));
INSERT INTO outer_side VALUES (20, 7, NULL), (21, NULL, NULL);
CREATE TABLE many (a INT, b INT, x INT, PRIMARY KEY (a));
INSERT INTO many SELECT value AS a, value AS b, CASE WHEN value > 50000 THEN value END AS x FROM generate_series(1, 100000);
---
CREATE TABLE
INSERT 2
CREATE TABLE
INSERT 1
CREATE TABLE
INSERT 3
CREATE TABLE
INSERT 3
CREATE TABLE
INSERT 3
CREATE TABLE
INSERT 3
CREATE TABLE
INSERT 3
CREATE TABLE
INSERT 2
CREATE TABLE
INSERT 100000

-- Right: the row.
SELECT x FROM dk WHERE x = 9.204938554384977;
---
+-------------------+
| x                 |
+-------------------+
| 9.204938554384977 |
+-------------------+

-- Right: 1.
SELECT count(*) FROM m WHERE CAST(d AS DOUBLE) < 2.0e0;
---
+----------+
| count(*) |
+----------+
| 1        |
+----------+

-- Right: 1.
SELECT count(*) FROM dk WHERE x < 2;
---
+----------+
| count(*) |
+----------+
| 1        |
+----------+

-- Right: 1, 100001, and 1, 100000.
SET datafusion.execution.target_partitions = 4;
SELECT min(a), max(b + 1) FROM many;
SELECT min(a), max(x) FROM many;
---
SET
+--------+------------+
| min(a) | max(b + 1) |
+--------+------------+
| 1      | 100001     |
+--------+------------+
+--------+--------+
| min(a) | max(x) |
+--------+--------+
| 1      | 100000 |
+--------+--------+

-- Right: 9, 3.
SELECT ae.a, u.id FROM ae JOIN u ON ae.id = u.id ORDER BY ae.a, u.id LIMIT 1;
---
+---+----+
| a | id |
+---+----+
| 9 | 3  |
+---+----+

-- Right: total 3.
SELECT f, count(*) OVER () AS total, count(*) OVER (PARTITION BY f) AS n FROM t ORDER BY f LIMIT 1;
---
+---+-------+---+
| f | total | n |
+---+-------+---+
| 1 | 3     | 1 |
+---+-------+---+

-- Right: b, abc, a.
SELECT string_agg(DISTINCT u, ',' ORDER BY u DESC) AS x FROM texts;
SELECT array_agg(DISTINCT u ORDER BY u DESC) AS x FROM texts;
---
+---------+
| x       |
+---------+
| b,abc,a |
+---------+
+-------------+
| x           |
+-------------+
| [b, abc, a] |
+-------------+

-- Right: 7 first, NULL last.
SELECT y.x AS o, s.g FROM outer_side s LEFT JOIN (SELECT 7 AS x FROM outer_side) y ON y.x = s.c ORDER BY o;
---
+---+---+
| o | g |
+---+---+
| 7 |   |
| 7 |   |
|   |   |
+---+---+

-- Right: in the order of a and b, the grand total last.
SET datafusion.execution.target_partitions = 1;
SELECT a, b, count(*) AS n FROM ab GROUP BY ROLLUP (a, b) ORDER BY a, b;
---
SET
+---+---+---+
| a | b | n |
+---+---+---+
| 1 | 1 | 1 |
| 1 | 2 | 1 |
| 1 |   | 2 |
| 2 | 1 | 1 |
| 2 |   | 1 |
|   |   | 3 |
+---+---+---+

-- Right: 4 for both rows of a = 1, 2 for those of a = 2, 3 for the total.
SELECT a, sum(count(*)) OVER (PARTITION BY a) AS w FROM ab GROUP BY ROLLUP (a, b) ORDER BY a, w;
---
+---+---+
| a | w |
+---+---+
| 1 | 4 |
| 1 | 4 |
| 1 | 4 |
| 2 | 2 |
| 2 | 2 |
|   | 3 |
+---+---+

-- Right: 9, 3; total 3; b, abc, a; 7 first; with one partition, too.
SELECT ae.a, u.id FROM ae JOIN u ON ae.id = u.id ORDER BY ae.a, u.id LIMIT 1;
SELECT f, count(*) OVER () AS total, count(*) OVER (PARTITION BY f) AS n FROM t ORDER BY f LIMIT 1;
SELECT string_agg(DISTINCT u, ',' ORDER BY u DESC) AS x FROM texts;
SELECT y.x AS o, s.g FROM outer_side s LEFT JOIN (SELECT 7 AS x FROM outer_side) y ON y.x = s.c ORDER BY o;
---
+---+----+
| a | id |
+---+----+
| 9 | 3  |
+---+----+
+---+-------+---+
| f | total | n |
+---+-------+---+
| 1 | 3     | 1 |
+---+-------+---+
+---------+
| x       |
+---------+
| b,abc,a |
+---------+
+---+---+
| o | g |
+---+---+
| 7 |   |
| 7 |   |
|   |   |
+---+---+

-- Right: no row; no row; no row; 0 rows of the right side, so NULL.
SELECT count(*) AS n FROM t HAVING 1 > (SELECT max(f) FROM t);
SELECT count(*) AS n FROM t HAVING count(*) = 10 AND count(*) = -3;
SELECT n FROM (SELECT count(*) AS n FROM t) x WHERE random() < 0;
SELECT t.id, y.n FROM t LEFT JOIN (SELECT count(*) AS n FROM t) y ON t.f > 5 AND 1 = 2 ORDER BY t.id;
---
++
++
++
++
++
++
+----+---+
| id | n |
+----+---+
| 1  |   |
| 2  |   |
| 3  |   |
+----+---+

-- Right: errors.
SELECT 9223372036854775807 + 1;
SELECT 100::smallint * 1000::smallint;
INSERT INTO t (id, f) SELECT id + 2147483647, f FROM t;
CREATE TABLE big (x BIGINT, PRIMARY KEY (x));
INSERT INTO big VALUES (9223372036854775807), (1);
SELECT sum(x) FROM big;
INSERT INTO big SELECT 3000000000 * 4000000000;
---
error: InvalidInput: 9223372036854775807 + 1 is out of range for BIGINT
error: InvalidInput
error: InvalidInput, table `t`, column `id`
CREATE TABLE
INSERT 2
error: InvalidInput
error: InvalidInput

-- Right: the names of the first arm.
SELECT id AS x FROM t WHERE 1 = 2 UNION SELECT DISTINCT id AS y FROM t ORDER BY x;
SELECT id AS x FROM t WHERE 1 = 2 UNION ALL SELECT id AS y FROM t WHERE id = 2;
---
+---+
| x |
+---+
| 1 |
| 2 |
| 3 |
+---+
+---+
| x |
+---+
| 2 |
+---+

-- Right: 3, 4, 5; 3, 4, 5; 4, 8, 12; 1 11; 3, 6, 7; 1.
SELECT f + 1 AS f FROM (SELECT f + 1 AS f FROM (SELECT CAST(f AS BIGINT) AS f FROM t)) ORDER BY f;
WITH c AS (SELECT f + 1 AS f FROM (SELECT f + 1 AS f FROM (SELECT CAST(f AS BIGINT) AS f FROM t))) SELECT f FROM c ORDER BY f;
SELECT f + f AS f FROM (SELECT f + f AS f FROM (SELECT id AS f FROM t)) ORDER BY f;
SELECT min(a) AS low, max(e) AS high FROM (SELECT e AS a, a AS e FROM (SELECT e AS a, a AS e FROM (SELECT e AS a, a AS e FROM ae))) q;
CREATE TABLE twice (f BIGINT, PRIMARY KEY (f));
INSERT INTO twice SELECT f + 1 AS f FROM (SELECT f + 1 AS f FROM (SELECT CAST(id AS BIGINT) - 2 AS f FROM u)) WHERE f > 0;
SELECT f FROM twice ORDER BY f;
SELECT count(f) AS f FROM (SELECT count(f) AS f FROM (SELECT f AS f FROM t));
---
+---+
| f |
+---+
| 3 |
| 4 |
| 5 |
+---+
+---+
| f |
+---+
| 3 |
| 4 |
| 5 |
+---+
+----+
| f  |
+----+
| 4  |
| 8  |
| 12 |
+----+
+-----+------+
| low | high |
+-----+------+
| 1   | 11   |
+-----+------+
CREATE TABLE
INSERT 3
+---+
| f |
+---+
| 3 |
| 6 |
| 7 |
+---+
+---+
| f |
+---+
| 1 |
+---+

-- Right: one range each, for no key of the layout lies between what is less in the first column and the rest.
CREATE TABLE pq (p INT, q INT, PRIMARY KEY (p, q));
EXPLAIN KEYS SELECT * FROM pq WHERE (p, q) < (256, 5);
EXPLAIN KEYS SELECT * FROM pq WHERE (p, q) < (257, 5);
CREATE TABLE oe (org CHAR(15), ent CHAR(15), PRIMARY KEY (org, ent));
EXPLAIN KEYS SELECT * FROM oe WHERE (org, ent) <= ('1', '002');
CREATE TABLE ose (org CHAR(2), score DOUBLE, ent CHAR(2), PRIMARY KEY (org, score DESC, ent DESC));
EXPLAIN KEYS SELECT * FROM ose WHERE org = 'o1' AND (score, ent) < (2.0, '04');
---
CREATE TABLE
pq range /* .. /256/4  ..8000010080000005  tight
pq range /* .. /257/4  ..8000010180000005  tight
warning: table `oe`: wide key `org`: parts of fixed width take 30 bytes of every row's key; above 16, narrower types or fewer parts make tables smaller and scans faster
CREATE TABLE
oe range /* .. /1/002  ..310000000000000000000000000000303032000000000000000000000001  tight
CREATE TABLE
ose range /o1/2.0/(04 .. /o1/*  6f313fffffffffffffffcfcc..6f32  tight

