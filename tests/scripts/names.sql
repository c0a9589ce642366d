-- Names of columns: as they are written, be it one name several times.
CREATE TABLE t (id INT, b INT, f DECIMAL(10,2), PRIMARY KEY (id));
INSERT INTO t VALUES (1, 10, 1.50), (2, 20, 2.50), (3, 20, NULL);
CREATE TABLE u (id INT, b INT, c INT, PRIMARY KEY (id));
INSERT INTO u VALUES (1, 7, 100), (3, 8, 300), (4, 9, 400);
---
CREATE TABLE
INSERT 3
CREATE TABLE
INSERT 3

-- One name twice.
SELECT id, id FROM t;
SELECT 1, 1;
SELECT count(*), count(*) FROM t;
SELECT id AS x, b AS x FROM t;
SELECT *, id FROM t;
SELECT *, * FROM t WHERE id = 1;
SELECT t.*, u.*, t.id FROM t JOIN u ON t.id = u.id;
SELECT *, t.* FROM t JOIN u ON t.id = u.id;
SELECT id, b AS id, id FROM t;
SELECT * EXCLUDE (f), b FROM t WHERE id = 1;
---
+----+----+
| id | id |
+----+----+
| 1  | 1  |
| 2  | 2  |
| 3  | 3  |
+----+----+
+---+---+
| 1 | 1 |
+---+---+
| 1 | 1 |
+---+---+
+----------+----------+
| count(*) | count(*) |
+----------+----------+
| 3        | 3        |
+----------+----------+
+---+----+
| x | x  |
+---+----+
| 1 | 10 |
| 2 | 20 |
| 3 | 20 |
+---+----+
+----+----+------+----+
| id | b  | f    | id |
+----+----+------+----+
| 1  | 10 | 1.50 | 1  |
| 2  | 20 | 2.50 | 2  |
| 3  | 20 |      | 3  |
+----+----+------+----+
+----+----+------+----+----+------+
| id | b  | f    | id | b  | f    |
+----+----+------+----+----+------+
| 1  | 10 | 1.50 | 1  | 10 | 1.50 |
+----+----+------+----+----+------+
+----+----+------+----+---+-----+----+
| id | b  | f    | id | b | c   | id |
+----+----+------+----+---+-----+----+
| 1  | 10 | 1.50 | 1  | 7 | 100 | 1  |
| 3  | 20 |      | 3  | 8 | 300 | 3  |
+----+----+------+----+---+-----+----+
+----+----+------+----+---+-----+----+----+------+
| id | b  | f    | id | b | c   | id | b  | f    |
+----+----+------+----+---+-----+----+----+------+
| 1  | 10 | 1.50 | 1  | 7 | 100 | 1  | 10 | 1.50 |
| 3  | 20 |      | 3  | 8 | 300 | 3  | 20 |      |
+----+----+------+----+---+-----+----+----+------+
+----+----+----+
| id | id | id |
+----+----+----+
| 1  | 10 | 1  |
| 2  | 20 | 2  |
| 3  | 20 | 3  |
+----+----+----+
+----+----+----+
| id | b  | b  |
+----+----+----+
| 1  | 10 | 10 |
+----+----+----+

-- A cast is part of a name.
SELECT max(b) AS x, max(CAST(b AS BIGINT)) AS y FROM t;
SELECT CAST(b AS BIGINT), b FROM t;
SELECT CAST(b AS BIGINT), b FROM t GROUP BY CAST(b AS BIGINT), b ORDER BY CAST(b AS BIGINT);
SELECT CAST(b AS TEXT) AS x, b FROM t GROUP BY x, b ORDER BY x;
SELECT CAST(b AS BIGINT), b, count(*) FROM t GROUP BY ROLLUP (CAST(b AS BIGINT), b) ORDER BY 1, 2;
SELECT sum(b), sum(CAST(b AS DOUBLE)) FROM t HAVING sum(CAST(b AS DOUBLE)) > 1 ORDER BY sum(b);
SELECT id, max(b) OVER (PARTITION BY b), max(CAST(b AS BIGINT)) OVER (PARTITION BY b) FROM t ORDER BY id;
SELECT id, count(*) OVER (PARTITION BY b), count(*) OVER (PARTITION BY b / CAST(10 AS INT)) FROM t ORDER BY id;
---
+----+----+
| x  | y  |
+----+----+
| 20 | 20 |
+----+----+
+-------------------+----+
| CAST(b AS BIGINT) | b  |
+-------------------+----+
| 10                | 10 |
| 20                | 20 |
| 20                | 20 |
+-------------------+----+
+-------------------+----+
| CAST(b AS BIGINT) | b  |
+-------------------+----+
| 10                | 10 |
| 20                | 20 |
+-------------------+----+
+----+----+
| x  | b  |
+----+----+
| 10 | 10 |
| 20 | 20 |
+----+----+
+-------------------+----+----------+
| CAST(b AS BIGINT) | b  | count(*) |
+-------------------+----+----------+
| 10                | 10 | 1        |
| 10                |    | 1        |
| 20                | 20 | 2        |
| 20                |    | 2        |
|                   |    | 3        |
+-------------------+----+----------+
+--------+------------------------+
| sum(b) | sum(CAST(b AS DOUBLE)) |
+--------+------------------------+
| 50     | 50.0                   |
+--------+------------------------+
+----+------------------------------+----------------------------------------------+
| id | max(b) OVER (PARTITION BY b) | max(CAST(b AS BIGINT)) OVER (PARTITION BY b) |
+----+------------------------------+----------------------------------------------+
| 1  | 10                           | 10                                           |
| 2  | 20                           | 20                                           |
| 3  | 20                           | 20                                           |
+----+------------------------------+----------------------------------------------+
+----+--------------------------------+--------------------------------------------------+
| id | count(*) OVER (PARTITION BY b) | count(*) OVER (PARTITION BY b / CAST(10 AS INT)) |
+----+--------------------------------+--------------------------------------------------+
| 1  | 1                              | 1                                                |
| 2  | 2                              | 2                                                |
| 3  | 2                              | 2                                                |
+----+--------------------------------+--------------------------------------------------+

-- An alias that another column has for a name.
SELECT -id AS b, b FROM t;
SELECT -id AS b, b FROM t ORDER BY 2, 1;
SELECT -id AS b FROM t ORDER BY b;
SELECT -id AS b, b AS c FROM t ORDER BY c, id;
---
+----+----+
| b  | b  |
+----+----+
| -1 | 10 |
| -2 | 20 |
| -3 | 20 |
+----+----+
+----+----+
| b  | b  |
+----+----+
| -1 | 10 |
| -3 | 20 |
| -2 | 20 |
+----+----+
+----+
| b  |
+----+
| -3 |
| -2 |
| -1 |
+----+
+----+----+
| b  | c  |
+----+----+
| -1 | 10 |
| -2 | 20 |
| -3 | 20 |
+----+----+

-- Rows are ordered by an alias first, and by the first column of the name; what they are grouped by must be certain.
SELECT -id AS b, b FROM t ORDER BY b;
SELECT b, -id AS b FROM t ORDER BY b;
SELECT id AS x, b AS x FROM t ORDER BY x DESC;
SELECT -id AS b, b FROM t UNION ALL SELECT 0, 0 ORDER BY b LIMIT 2;
SELECT id AS x, b AS x FROM t GROUP BY x;
SELECT id, id FROM t ORDER BY id DESC;
SELECT *, id FROM t ORDER BY id DESC;
SELECT id AS b, b AS id FROM t ORDER BY b DESC;
---
+----+----+
| b  | b  |
+----+----+
| -3 | 20 |
| -2 | 20 |
| -1 | 10 |
+----+----+
+----+----+
| b  | b  |
+----+----+
| 20 | -3 |
| 20 | -2 |
| 10 | -1 |
+----+----+
+---+----+
| x | x  |
+---+----+
| 3 | 20 |
| 2 | 20 |
| 1 | 10 |
+---+----+
+----+----+
| b  | b  |
+----+----+
| -3 | 20 |
| -2 | 20 |
+----+----+
error: InvalidInput, column `x`: column `x` is ambiguous: several columns of the SELECT have that name; write its position, or another name with AS
+----+----+
| id | id |
+----+----+
| 3  | 3  |
| 2  | 2  |
| 1  | 1  |
+----+----+
+----+----+------+----+
| id | b  | f    | id |
+----+----+------+----+
| 3  | 20 |      | 3  |
| 2  | 20 | 2.50 | 2  |
| 1  | 10 | 1.50 | 1  |
+----+----+------+----+
+---+----+
| b | id |
+---+----+
| 3 | 20 |
| 2 | 20 |
| 1 | 10 |
+---+----+

-- Inside of other queries.
SELECT * FROM (SELECT id, id FROM t);
SELECT * FROM (SELECT id, id FROM t) AS s;
SELECT * FROM (SELECT *, id FROM t) AS s;
SELECT x, y FROM (SELECT id, id FROM t) AS s (x, y);
SELECT * FROM (SELECT t.b, u.b FROM t JOIN u ON t.id = u.id) AS s;
SELECT * FROM (SELECT * FROM t JOIN u ON t.id = u.id) AS s;
WITH s AS (SELECT id, id, b FROM t) SELECT b, * FROM s;
WITH s (x, y) AS (SELECT id, id FROM t) SELECT x + y FROM s;
SELECT count(*) FROM (SELECT id, id FROM t) AS s;
SELECT b FROM (SELECT id, id, b FROM t) AS s;
SELECT id FROM t WHERE EXISTS (SELECT u.id, u.id FROM u WHERE u.id = t.id);
SELECT id FROM t WHERE id IN (SELECT id FROM (SELECT id, b, b FROM u) AS s);
---
+----+----+
| id | id |
+----+----+
| 1  | 1  |
| 2  | 2  |
| 3  | 3  |
+----+----+
+----+----+
| id | id |
+----+----+
| 1  | 1  |
| 2  | 2  |
| 3  | 3  |
+----+----+
+----+----+------+----+
| id | b  | f    | id |
+----+----+------+----+
| 1  | 10 | 1.50 | 1  |
| 2  | 20 | 2.50 | 2  |
| 3  | 20 |      | 3  |
+----+----+------+----+
+---+---+
| x | y |
+---+---+
| 1 | 1 |
| 2 | 2 |
| 3 | 3 |
+---+---+
+----+---+
| b  | b |
+----+---+
| 10 | 7 |
| 20 | 8 |
+----+---+
+----+----+------+----+---+-----+
| id | b  | f    | id | b | c   |
+----+----+------+----+---+-----+
| 1  | 10 | 1.50 | 1  | 7 | 100 |
| 3  | 20 |      | 3  | 8 | 300 |
+----+----+------+----+---+-----+
+----+----+----+----+
| b  | id | id | b  |
+----+----+----+----+
| 10 | 1  | 1  | 10 |
| 20 | 2  | 2  | 20 |
| 20 | 3  | 3  | 20 |
+----+----+----+----+
+-------+
| x + y |
+-------+
| 2     |
| 4     |
| 6     |
+-------+
+----------+
| count(*) |
+----------+
| 3        |
+----------+
+----+
| b  |
+----+
| 10 |
| 20 |
| 20 |
+----+
+----+
| id |
+----+
| 1  |
| 3  |
+----+
+----+
| id |
+----+
| 1  |
| 3  |
+----+

-- A name that stands twice is not taken for one of them.
SELECT id FROM (SELECT id, id FROM t) AS s;
SELECT s.id FROM (SELECT id, id FROM t) AS s;
SELECT x FROM (SELECT id AS x, b AS x FROM t) AS s;
SELECT b FROM (SELECT * FROM t JOIN u ON t.id = u.id) AS s;
SELECT * FROM (SELECT id AS x, b AS x FROM t) AS s WHERE x > 1;
WITH s AS (SELECT id, id FROM t) SELECT 1 FROM s ORDER BY id;
SELECT (SELECT max(c) FROM u WHERE c = x) FROM (SELECT id AS x, b AS x FROM t) AS s;
SELECT c FROM u WHERE EXISTS (SELECT 1 FROM (SELECT id AS c, b AS c FROM t) AS s WHERE s.c = u.c);
---
error: InvalidInput, column `id`
error: InvalidInput, column `id`
error: InvalidInput, column `x`
error: InvalidInput, column `b`
error: InvalidInput, column `x`
error: InvalidInput, column `id`
error: InvalidInput, column `x`
error: InvalidInput, column `c`

-- Sets of rows.
SELECT id, id FROM t UNION ALL SELECT 7, 7 ORDER BY 1;
SELECT 1, 1 UNION SELECT 1, 1;
SELECT b + 1, id FROM t UNION ALL SELECT id, b + 1 FROM t ORDER BY 1, 2;
SELECT id, id FROM t EXCEPT SELECT 2, 2 ORDER BY 1;
SELECT id, id FROM t INTERSECT SELECT id, id FROM u ORDER BY id;
SELECT t.id, u.id FROM t JOIN u ON t.id = u.id UNION ALL SELECT 0, 0 ORDER BY 1;
SELECT DISTINCT b, b FROM t ORDER BY b;
---
+----+----+
| id | id |
+----+----+
| 1  | 1  |
| 2  | 2  |
| 3  | 3  |
| 7  | 7  |
+----+----+
+---+---+
| 1 | 1 |
+---+---+
| 1 | 1 |
+---+---+
+-------+----+
| b + 1 | id |
+-------+----+
| 1     | 11 |
| 2     | 21 |
| 3     | 21 |
| 11    | 1  |
| 21    | 2  |
| 21    | 3  |
+-------+----+
+----+----+
| id | id |
+----+----+
| 1  | 1  |
| 3  | 3  |
+----+----+
+----+----+
| id | id |
+----+----+
| 1  | 1  |
| 3  | 3  |
+----+----+
+----+----+
| id | id |
+----+----+
| 0  | 0  |
| 1  | 1  |
| 3  | 3  |
+----+----+
+----+----+
| b  | b  |
+----+----+
| 10 | 10 |
| 20 | 20 |
+----+----+

-- Other statements.
EXPLAIN KEYS SELECT id, id FROM t WHERE id = 2;
PREPARE twice AS SELECT id, id, b AS id FROM t WHERE id = $1;
EXECUTE twice(2);
INSERT INTO u (id, b) SELECT id + 20, id + 20 FROM t;
INSERT INTO u (id, b) SELECT id + 30, CAST(id + 30 AS BIGINT) FROM t;
SELECT * FROM u WHERE id > 20;
DELETE FROM u WHERE id IN (SELECT id FROM (SELECT id, b, b FROM u) AS s WHERE id > 20);
FROM t |> SELECT id, id |> LIMIT 1;
---
t point /2  80000002..80000003  tight
PREPARE
+----+----+----+
| id | id | id |
+----+----+----+
| 2  | 2  | 20 |
+----+----+----+
INSERT 3
INSERT 3
+----+----+---+
| id | b  | c |
+----+----+---+
| 21 | 21 |   |
| 22 | 22 |   |
| 23 | 23 |   |
| 31 | 31 |   |
| 32 | 32 |   |
| 33 | 33 |   |
+----+----+---+
DELETE 6
+----+----+
| id | id |
+----+----+
| 1  | 1  |
+----+----+

-- What is not named is called as it is written.
SELECT 1, -1.50, 1e3, 'a', NULL, TRUE, id + b, (id), COUNT(*) OVER () FROM t WHERE id = 1;
SELECT sum(b + 1), Max(b), count(DISTINCT b), avg(f) FILTER (WHERE id > 1) FROM t;
SELECT extract(year FROM DATE '2024-05-06'), CASE WHEN 1 < 2 THEN 'x' END, (SELECT max(id) FROM t);
SELECT * FROM (SELECT max(b) FROM t) AS s;
SELECT "max(b)" FROM (SELECT max(b) FROM t) AS s;
---
+---+-------+--------+-----+------+------+--------+----+------------------+
| 1 | -1.50 | 1e3    | 'a' | NULL | true | id + b | id | count(*) OVER () |
+---+-------+--------+-----+------+------+--------+----+------------------+
| 1 | -1.50 | 1000.0 | a   |      | true | 11     | 1  | 1                |
+---+-------+--------+-----+------+------+--------+----+------------------+
+------------+--------+-------------------+------------------------------+
| sum(b + 1) | max(b) | count(DISTINCT b) | avg(f) FILTER (WHERE id > 1) |
+------------+--------+-------------------+------------------------------+
| 53         | 20     | 2                 | 2.5000000000000000           |
+------------+--------+-------------------+------------------------------+
+--------------------------------------+------------------------------+-------------------------+
| EXTRACT(YEAR FROM DATE '2024-05-06') | CASE WHEN 1 < 2 THEN 'x' END | (SELECT max(id) FROM t) |
+--------------------------------------+------------------------------+-------------------------+
| 2024                                 | x                            | 3                       |
+--------------------------------------+------------------------------+-------------------------+
+--------+
| max(b) |
+--------+
| 20     |
+--------+
+--------+
| max(b) |
+--------+
| 20     |
+--------+

-- The one column that USING and NATURAL make of two is that of the left side.
SELECT t.id AS x FROM t JOIN u USING (id) WHERE id > 1;
SELECT id, u.c FROM t JOIN u USING (id) WHERE id > 1 ORDER BY id;
SELECT id, c FROM t LEFT JOIN u USING (id) WHERE id < 3 ORDER BY id;
SELECT * FROM t LEFT JOIN u USING (id) ORDER BY id;
SELECT * FROM u LEFT JOIN t USING (id) ORDER BY id;
SELECT * EXCLUDE (c, f) FROM u LEFT JOIN t USING (id) ORDER BY id;
SELECT id FROM u LEFT JOIN t USING (id) WHERE id = 4;
SELECT id, count(*) FROM t JOIN u USING (id) WHERE id > 0 GROUP BY id HAVING id > 1 ORDER BY id;
SELECT max(id) FROM t JOIN u USING (id) WHERE id + 1 > 2;
SELECT id FROM t JOIN u USING (id) WHERE EXISTS (SELECT 1 FROM (SELECT c AS k FROM u) AS s WHERE s.k = 100 * id);
SELECT (SELECT max(k) FROM (SELECT id AS k, c FROM u) AS s WHERE s.k = id) AS m FROM t JOIN u USING (id) ORDER BY m;
SELECT t.b FROM t JOIN u USING (id) JOIN (SELECT id AS other FROM t) AS v ON v.other = id WHERE id > 1;
SELECT id FROM t JOIN u USING (id) JOIN t AS w USING (id) WHERE id = 3;
SELECT u.c FROM t JOIN u USING (id, b) WHERE b > 1;
SELECT id, b FROM t NATURAL JOIN (SELECT id FROM u) AS v WHERE id > 1;
SELECT * FROM (SELECT * FROM t JOIN u USING (id)) AS s;
SELECT sum(id) OVER (ORDER BY id) FROM t JOIN u USING (id) WHERE id >= 1 ORDER BY 1;
---
+---+
| x |
+---+
| 3 |
+---+
+----+-----+
| id | c   |
+----+-----+
| 3  | 300 |
+----+-----+
+----+-----+
| id | c   |
+----+-----+
| 1  | 100 |
| 2  |     |
+----+-----+
+----+----+------+---+-----+
| id | b  | f    | b | c   |
+----+----+------+---+-----+
| 1  | 10 | 1.50 | 7 | 100 |
| 2  | 20 | 2.50 |   |     |
| 3  | 20 |      | 8 | 300 |
+----+----+------+---+-----+
+----+---+-----+----+------+
| id | b | c   | b  | f    |
+----+---+-----+----+------+
| 1  | 7 | 100 | 10 | 1.50 |
| 3  | 8 | 300 | 20 |      |
| 4  | 9 | 400 |    |      |
+----+---+-----+----+------+
+----+---+----+
| id | b | b  |
+----+---+----+
| 1  | 7 | 10 |
| 3  | 8 | 20 |
| 4  | 9 |    |
+----+---+----+
+----+
| id |
+----+
| 4  |
+----+
+----+----------+
| id | count(*) |
+----+----------+
| 3  | 1        |
+----+----------+
+---------+
| max(id) |
+---------+
| 3       |
+---------+
+----+
| id |
+----+
| 1  |
| 3  |
+----+
+---+
| m |
+---+
| 1 |
| 3 |
+---+
+----+
| b  |
+----+
| 20 |
+----+
+----+
| id |
+----+
| 3  |
+----+
++
++
+----+----+
| id | b  |
+----+----+
| 3  | 20 |
+----+----+
+----+----+------+---+-----+
| id | b  | f    | b | c   |
+----+----+------+---+-----+
| 1  | 10 | 1.50 | 7 | 100 |
| 3  | 20 |      | 8 | 300 |
+----+----+------+---+-----+
+----------------------------+
| sum(id) OVER (ORDER BY id) |
+----------------------------+
| 1                          |
| 4                          |
+----------------------------+

-- An order by a column that is not given, beside one of its name that is.
SELECT -id AS b FROM t ORDER BY t.b DESC, t.id;
SELECT -id AS b FROM t ORDER BY t.b, b;
SELECT max(b) AS id FROM t GROUP BY t.id ORDER BY t.id DESC;
SELECT u.c AS id FROM t JOIN u ON t.id = u.id ORDER BY t.id DESC LIMIT 1;
---
+----+
| b  |
+----+
| -2 |
| -3 |
| -1 |
+----+
+----+
| b  |
+----+
| -1 |
| -3 |
| -2 |
+----+
+----+
| id |
+----+
| 20 |
| 20 |
| 10 |
+----+
+-----+
| id  |
+-----+
| 300 |
+-----+

-- An order by a constant, and by an aggregate that is not given.
SELECT b, 1 FROM t GROUP BY b ORDER BY 2, 1;
SELECT b + 1, count(*) FROM t GROUP BY b ORDER BY 1 DESC;
SELECT 1 AS one, b FROM t GROUP BY b ORDER BY one, b;
SELECT b, sum(count(*)) OVER () FROM t GROUP BY b ORDER BY max(id) DESC;
SELECT b, sum(max(id)) OVER () AS s FROM t GROUP BY b ORDER BY min(id) DESC;
---
+----+---+
| b  | 1 |
+----+---+
| 10 | 1 |
| 20 | 1 |
+----+---+
+-------+----------+
| b + 1 | count(*) |
+-------+----------+
| 21    | 2        |
| 11    | 1        |
+-------+----------+
+-----+----+
| one | b  |
+-----+----+
| 1   | 10 |
| 1   | 20 |
+-----+----+
+----+-----------------------+
| b  | sum(count(*)) OVER () |
+----+-----------------------+
| 20 | 3                     |
| 10 | 3                     |
+----+-----------------------+
+----+---+
| b  | s |
+----+---+
| 20 | 4 |
| 10 | 4 |
+----+---+

-- The column of a subquery beside OR.
SELECT id FROM t WHERE b IN (SELECT DISTINCT c / 10 AS x FROM u) OR id = 2 ORDER BY id;
SELECT id FROM t WHERE b IN (SELECT max(b) FROM u GROUP BY id) OR id IN (SELECT max(id) FROM u) ORDER BY id;
SELECT id FROM t WHERE NOT (b IN (SELECT DISTINCT c / 10 AS x FROM u) OR id = 2) ORDER BY id;
---
+----+
| id |
+----+
| 1  |
| 2  |
+----+
++
++
+----+
| id |
+----+
| 3  |
+----+

-- Columns of a table function; REPLACE above USING; what describes a query; a DISTINCT beside OR.
SELECT value, * FROM generate_series(1, 2);
SELECT * REPLACE (1 AS b) FROM t LEFT JOIN u USING (id) ORDER BY id;
DESCRIBE SELECT id, id FROM t;
SELECT id FROM t WHERE b IN (SELECT DISTINCT u.b + 3 AS x FROM u WHERE u.id = t.id) OR id = 2 ORDER BY id;
---
+-------+-------+
| value | value |
+-------+-------+
| 1     | 1     |
| 2     | 2     |
+-------+-------+
+----+---+------+---+-----+
| id | b | f    | b | c   |
+----+---+------+---+-----+
| 1  | 1 | 1.50 | 1 | 100 |
| 2  | 1 | 2.50 | 1 |     |
| 3  | 1 |      | 1 | 300 |
+----+---+------+---+-----+
+--------+------+-------+
| column | type | null  |
+--------+------+-------+
| id     | INT  | false |
| id     | INT  | false |
+--------+------+-------+
+----+
| id |
+----+
| 1  |
| 2  |
+----+

-- The columns of a query in FROM have no table where it has no alias; yet an alias beside them is not taken for them.
SELECT a AS b, -a AS a FROM (SELECT id AS a FROM t) ORDER BY a;
SELECT a AS b, -a AS a FROM (SELECT id AS a FROM t) ORDER BY a DESC LIMIT 1;
SELECT a AS x, a % 2 AS a, count(*) AS n FROM (SELECT id AS a FROM t) GROUP BY a ORDER BY a, x;
SELECT -a AS a, count(*) AS n FROM (SELECT id AS a FROM t) GROUP BY a HAVING a > 1 ORDER BY n, a;
SELECT -a AS a, b FROM (SELECT id AS a, b + 0 AS b FROM t) QUALIFY row_number() OVER (PARTITION BY b ORDER BY a) = 1 ORDER BY b;
SELECT s.a FROM (SELECT a AS b, -a AS a FROM (SELECT id AS a FROM t) ORDER BY a LIMIT 2) AS s ORDER BY a;
SELECT a FROM (SELECT a AS b, -a AS a FROM (SELECT id AS a FROM t) ORDER BY a LIMIT 2) ORDER BY b;
SELECT * FROM (SELECT a AS b, -a AS a FROM (SELECT id AS a FROM t) ORDER BY a LIMIT 1), (SELECT 5 AS c);
SELECT b FROM t WHERE id = (SELECT -a AS a FROM (SELECT -id AS a, id FROM u) ORDER BY id DESC LIMIT 1 OFFSET 1);
(SELECT a AS b, -a AS a FROM (SELECT id AS a FROM t)) ORDER BY a LIMIT 1;
FROM (SELECT id AS a FROM t) |> SELECT a AS b, -a AS a |> ORDER BY a |> LIMIT 1;
SELECT -column1 AS column1, column1 AS x FROM (VALUES (1), (2)) ORDER BY column1;
SELECT a % 2 AS a, count(*) AS n FROM (SELECT id AS a FROM t) GROUP BY 1 ORDER BY a;
WITH c AS (SELECT a AS b, -a AS a FROM (SELECT id AS a FROM t) ORDER BY a LIMIT 1) SELECT a, b FROM c;
SELECT c AS b, -a AS a FROM (SELECT id AS a FROM t) ORDER BY a;
SELECT a AS b, -a AS a FROM (SELECT id AS a FROM t) ORDER BY a, c;
SELECT id, b AS id FROM t ORDER BY c;
---
+---+----+
| b | a  |
+---+----+
| 3 | -3 |
| 2 | -2 |
| 1 | -1 |
+---+----+
+---+----+
| b | a  |
+---+----+
| 1 | -1 |
+---+----+
+---+---+---+
| x | a | n |
+---+---+---+
| 2 | 0 | 1 |
| 1 | 1 | 1 |
| 3 | 1 | 1 |
+---+---+---+
+----+---+
| a  | n |
+----+---+
| -3 | 1 |
| -2 | 1 |
+----+---+
+----+----+
| a  | b  |
+----+----+
| -1 | 10 |
| -2 | 20 |
+----+----+
+----+
| a  |
+----+
| -3 |
| -2 |
+----+
+----+
| a  |
+----+
| -2 |
| -3 |
+----+
+---+----+---+
| b | a  | c |
+---+----+---+
| 3 | -3 | 5 |
+---+----+---+
+----+
| b  |
+----+
| 20 |
+----+
+---+----+
| b | a  |
+---+----+
| 3 | -3 |
+---+----+
+---+----+
| b | a  |
+---+----+
| 3 | -3 |
+---+----+
+---------+---+
| column1 | x |
+---------+---+
| -2      | 2 |
| -1      | 1 |
+---------+---+
+---+---+
| a | n |
+---+---+
| 0 | 1 |
| 1 | 2 |
+---+---+
+----+---+
| a  | b |
+----+---+
| -3 | 3 |
+----+---+
error: InvalidInput, column `c`
error: InvalidInput, column `c`
error: InvalidInput, column `c`

-- So it is in an arm of a UNION, beside a `*`, and in front of `|>`.
SELECT -a AS a FROM (SELECT id AS a FROM t) GROUP BY a HAVING a > 1 UNION ALL SELECT 0 ORDER BY a;
SELECT 0 AS a UNION ALL SELECT -a AS a FROM (SELECT id AS a FROM t) GROUP BY a HAVING a > 2 ORDER BY a;
SELECT s.a FROM (SELECT -a AS a FROM (SELECT id AS a FROM t) GROUP BY a HAVING a > 2 EXCEPT SELECT 1) AS s;
SELECT b, a FROM (SELECT * EXCLUDE (a), a AS x, -a AS a FROM (SELECT id AS a, b + 0 AS b FROM t) ORDER BY a LIMIT 1);
SELECT b FROM (SELECT -a AS a, * EXCLUDE (a) FROM (SELECT id AS a, b + 0 AS b FROM t) QUALIFY row_number() OVER (ORDER BY a) = 1);
SELECT b FROM (SELECT * REPLACE (-a AS a) FROM (SELECT id AS a, b + 0 AS b FROM t) QUALIFY row_number() OVER (ORDER BY a) = 1) AS s;
SELECT -a AS a FROM (SELECT id AS a FROM t) GROUP BY a HAVING a > 1 |> ORDER BY a |> LIMIT 1;
SELECT a AS b, -a AS a FROM (SELECT id AS a FROM t) ORDER BY a LIMIT 2 |> WHERE a < -2 |> SELECT b, a;
SELECT b FROM (SELECT *, a AS b, -a AS a FROM (SELECT id AS a FROM t), unnest([1]) ORDER BY a LIMIT 1);
---
+----+
| a  |
+----+
| -3 |
| -2 |
| 0  |
+----+
+----+
| a  |
+----+
| -3 |
| 0  |
+----+
+----+
| a  |
+----+
| -3 |
+----+
+----+----+
| b  | a  |
+----+----+
| 20 | -3 |
+----+----+
+----+
| b  |
+----+
| 10 |
+----+
+----+
| b  |
+----+
| 10 |
+----+
+----+
| a  |
+----+
| -3 |
+----+
+---+----+
| b | a  |
+---+----+
| 3 | -3 |
+---+----+
error: NotSupported, column `a`: the column `a` of a query in FROM without an alias, in ORDER BY, HAVING or QUALIFY beside an alias `a` and a `*` whose columns are not known; give the query in FROM an alias

-- Both columns that USING makes one of, each row once.
SELECT DISTINCT t.id, u.id FROM t JOIN u USING (id) ORDER BY 1;
SELECT DISTINCT u.id, t.id, t.b FROM t JOIN u USING (id) ORDER BY u.id DESC;
SELECT DISTINCT t.*, u.* FROM t JOIN u USING (id) ORDER BY t.id LIMIT 1;
---
+----+----+
| id | id |
+----+----+
| 1  | 1  |
| 3  | 3  |
+----+----+
+----+----+----+
| id | id | b  |
+----+----+----+
| 3  | 3  | 20 |
| 1  | 1  | 10 |
+----+----+----+
+----+----+------+----+---+-----+
| id | b  | f    | id | b | c   |
+----+----+------+----+---+-----+
| 1  | 10 | 1.50 | 1  | 7 | 100 |
+----+----+------+----+---+-----+

