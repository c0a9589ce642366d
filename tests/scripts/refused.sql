-- What DataFusion would answer wrongly, drop, or refuse with a tree; what is right stands over what is answered.
CREATE TABLE t (id INT NOT NULL, a INT, c TEXT, PRIMARY KEY (id));
INSERT INTO t VALUES (1, 1, 'a\b'), (2, NULL, 'ab'), (3, 2, 'abc'), (4, 2, 'x');
CREATE TABLE u (k INT NOT NULL, s TEXT, PRIMARY KEY (k));
INSERT INTO u VALUES (1, 'q');
CREATE TABLE b (x INT NOT NULL, PRIMARY KEY (x));
---
CREATE TABLE
INSERT 4
CREATE TABLE
INSERT 1
CREATE TABLE

FROM t |> SELECT a |> EXCEPT ALL (SELECT k FROM u);
---
error: InvalidInput: syntax error: EXCEPT pipe operator requires DISTINCT modifier

-- Right: 1 and NULL.
SELECT a FROM t EXCEPT SELECT 2 ORDER BY a;
---
+---+
| a |
+---+
| 1 |
|   |
+---+

-- Right: 2, once.
SELECT a FROM t INTERSECT SELECT 2;
---
+---+
| a |
+---+
| 2 |
+---+

SELECT k FROM t RIGHT JOIN u USING (k);
---
error: InvalidInput

SELECT id FROM t FULL JOIN (SELECT k AS id FROM u) AS v USING (id);
---
+----+
| id |
+----+
| 1  |
| 2  |
| 3  |
| 4  |
+----+

SELECT id FROM t NATURAL RIGHT JOIN u;
---
error: NotSupported: NATURAL RIGHT or FULL JOIN of tables that have no column in common is not implemented; write ON …

SELECT id FROM t NATURAL FULL OUTER JOIN u;
---
error: NotSupported: NATURAL RIGHT or FULL JOIN of tables that have no column in common

SELECT * FROM t NATURAL LEFT JOIN b;
---
error: NotSupported: NATURAL JOIN of `t` and `b`, which have no column in common,

SELECT * FROM u NATURAL JOIN b AS v;
---
error: NotSupported: NATURAL JOIN of `u` and `v`, which have no column in common,

SELECT count(*) FROM t NATURAL JOIN (SELECT id FROM t) AS w NATURAL LEFT JOIN b;
---
error: NotSupported: NATURAL JOIN of `w` and `b`, which have no column in common,

-- Right: 1 with q.
SELECT id, s FROM t NATURAL JOIN (SELECT k AS id, s FROM u) AS v;
---
+----+---+
| id | s |
+----+---+
| 1  | q |
+----+---+

-- Right: 1 with q, and three alone.
SELECT id, s FROM t NATURAL LEFT JOIN (SELECT k AS id, s FROM u) AS v ORDER BY id;
---
+----+---+
| id | s |
+----+---+
| 1  | q |
| 2  |   |
| 3  |   |
| 4  |   |
+----+---+

-- Right: 1 with q, and three alone.
SELECT id, s FROM t LEFT JOIN (SELECT k AS id, s FROM u) AS v USING (id) ORDER BY id;
---
+----+---+
| id | s |
+----+---+
| 1  | q |
| 2  |   |
| 3  |   |
| 4  |   |
+----+---+

SELECT * FROM t JOIN u;
---
error: NotSupported: JOIN without ON or USING

SELECT * FROM t LEFT JOIN u;
---
error: NotSupported: JOIN without ON or USING

SELECT * FROM t CROSS APPLY (SELECT 1);
---
error: NotSupported: CROSS APPLY

-- Right: 4.
SELECT count(*) FROM t CROSS JOIN u;
---
+----------+
| count(*) |
+----------+
| 4        |
+----------+

-- Right: 4.
SELECT count(*) FROM t, u;
---
+----------+
| count(*) |
+----------+
| 4        |
+----------+

SELECT DISTINCT ON (1) id FROM t;
---
error: NotSupported: DISTINCT ON with the position of a column

-- Right: 1 and 2, 3 of the a's.
SELECT DISTINCT ON (a) a, id FROM t ORDER BY a, id;
---
+---+----+
| a | id |
+---+----+
| 1 | 1  |
| 2 | 3  |
|   | 2  |
+---+----+

WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n + 0.5 FROM x WHERE n < 3) SELECT n FROM x;
---
error: NotSupported, column `n`

WITH RECURSIVE x (m, n) AS (SELECT 0, CAST(1 AS DECIMAL(3, 1)) UNION ALL SELECT m, n * 1.25 FROM x WHERE n < 3) SELECT n FROM x;
---
error: NotSupported, column `n`

WITH RECURSIVE x AS (SELECT NULL AS n, 1 AS m UNION ALL SELECT m, m + 1 FROM x WHERE m < 3) SELECT n FROM x;
---
error: InvalidInput

-- Right: 1, 2 and 3.
WITH RECURSIVE x AS (SELECT id AS n FROM t WHERE id = 1 UNION ALL SELECT n + 1 FROM x WHERE n < 3) SELECT n FROM x;
---
+---+
| n |
+---+
| 1 |
| 2 |
| 3 |
+---+

-- Right: 1, 1.5, 2, 2.5 and 3.
WITH RECURSIVE x AS (SELECT CAST(1 AS DOUBLE) AS n UNION ALL SELECT n + 0.5 FROM x WHERE n < 3) SELECT n FROM x;
---
+-----+
| n   |
+-----+
| 1.0 |
| 1.5 |
| 2.0 |
| 2.5 |
| 3.0 |
+-----+

-- Right: 1, 4 and 11: 3.5 is rounded, as it is written.
WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT CAST(n * 2.5 + 1 AS BIGINT) FROM x WHERE n < 5) SELECT n FROM x;
---
+----+
| n  |
+----+
| 1  |
| 4  |
| 11 |
+----+

SELECT * ILIKE 'zz%' FROM t;
---
error: NotSupported: * ILIKE

SELECT t.* ILIKE 'zz%' FROM t;
---
error: NotSupported: * ILIKE

-- Right: the a's and c's without id.
SELECT * EXCLUDE (id) FROM t WHERE id = 1;
---
+---+-----+
| a | c   |
+---+-----+
| 1 | a\b |
+---+-----+

SELECT count(DISTINCT *) FROM t;
---
error: NotSupported: count(DISTINCT *)

SELECT count(DISTINCT t.*) FROM t;
---
error: NotSupported: count(DISTINCT *)

-- Right: 2.
SELECT count(DISTINCT a) AS n FROM t;
---
+---+
| n |
+---+
| 2 |
+---+

SELECT lag(DISTINCT a) OVER (ORDER BY id) FROM t;
---
error: NotSupported

SELECT ntile(DISTINCT 2) OVER (ORDER BY id) FROM t;
---
error: NotSupported

SELECT first_value(DISTINCT a) OVER (ORDER BY id) FROM t;
---
error: NotSupported

-- Right: 1, 1, 2 and 2.
SELECT count(DISTINCT a) OVER (ORDER BY id) AS n FROM t;
---
+---+
| n |
+---+
| 1 |
| 1 |
| 2 |
| 2 |
+---+

SELECT row_number() IGNORE NULLS OVER (ORDER BY id) FROM t;
---
error: NotSupported

SELECT rank() IGNORE NULLS OVER (ORDER BY id) FROM t;
---
error: NotSupported

-- Right: NULL, 1, 1 and 2.
SELECT lag(a) IGNORE NULLS OVER (ORDER BY id) AS n FROM t;
---
+---+
| n |
+---+
|   |
| 1 |
| 1 |
| 2 |
+---+

SELECT covar_samp(DISTINCT a, a) FROM t;
---
error: NotSupported: DISTINCT among the arguments of `covar_samp`

SELECT regr_count(DISTINCT a, id) FROM t;
---
error: NotSupported: DISTINCT among the arguments of `regr_count`

-- Right: a\b,ab,abc,x.
SELECT string_agg(DISTINCT c, ',' ORDER BY c) AS s FROM t;
---
+--------------+
| s            |
+--------------+
| a\b,ab,abc,x |
+--------------+

SELECT c::CHAR(2) FROM t;
---
error: NotSupported: a cast to CHAR(2)

PREPARE p (VARCHAR(3)) AS SELECT $1;
---
error: NotSupported: a cast to VARCHAR(3)

-- Right: ab.
SELECT left(c::VARCHAR, 2) AS c FROM t WHERE id = 3;
---
+----+
| c  |
+----+
| ab |
+----+

CREATE TABLE w (a VARCHAR(2), b CHAR(2), PRIMARY KEY (a));
INSERT INTO w VALUES ('abc', 'x');
---
CREATE TABLE
error: InvalidInput, table `w`, column `a`

DELETE FROM t, u;
---
error: NotSupported: DELETE from several tables

DELETE FROM t JOIN u ON id = k;
---
error: NotSupported: DELETE from several tables

SET SESSION AUTHORIZATION DEFAULT;
---
error: NotSupported: this form of SET

SET datafusion.execution.time_zone = 'Europe/Berlin';
---
SET

SET timezone = 'UTC';
---
SET

SELECT c COLLATE "C" FROM t;
---
error: NotSupported: COLLATE

SELECT id FROM t ORDER BY c COLLATE "de-DE";
---
error: NotSupported: COLLATE

SELECT id FROM t WHERE c RLIKE 'a';
---
error: NotSupported: RLIKE

SELECT id FROM t WHERE c REGEXP 'a';
---
error: NotSupported: REGEXP

SELECT c IS NFC NORMALIZED FROM t;
---
error: NotSupported: IS NORMALIZED

SELECT * FROM t PIVOT (sum(a) FOR c IN (ANY));
---
error: NotSupported: PIVOT over values that a query finds

SELECT * FROM t PIVOT (sum(a) FOR (b, c) IN (1));
---
error: NotSupported: PIVOT over several columns

SELECT * FROM t PIVOT (sum(t.a) FOR c IN ('a'));
---
error: InvalidInput

SELECT * FROM t UNPIVOT (v FOR n IN (id + 1));
---
error: NotSupported: UNPIVOT of `id + 1`

PIVOT t ON c USING sum(a);
---
error: InvalidInput

VACUUM FULL;
---
error: NotSupported: `VACUUM FULL`

VACUUM missing;
---
error: InvalidInput, table `missing`

VACUUM t;
---
+---------------+----------------------------------------------------------+
| about         | value                                                    |
+---------------+----------------------------------------------------------+
| nothing to do | memory is given back as soon as nobody reads it any more |
+---------------+----------------------------------------------------------+

PRAGMA table_info('t');
---
error: NotSupported: PRAGMA

GRANT SELECT ON t TO somebody;
---
error: NotSupported: a user, a role or a right

ANALYZE t;
---
error: NotSupported: ANALYZE

SELECT * FROM t ASOF JOIN t AS u ON t.id >= u.id;
---
error: InvalidInput

SELECT TOP 1 a FROM t;
---
error: NotSupported: SELECT TOP

SELECT a FROM t SORT BY a;
---
error: NotSupported: SORT BY or CLUSTER BY

SELECT a FROM t CLUSTER BY a;
---
error: NotSupported: SORT BY or CLUSTER BY

SELECT a FROM t DISTRIBUTE BY a;
---
error: NotSupported: DISTRIBUTE BY

SET halite.piece_bytes = -1;
---
error: InvalidInput

SET halite.pushdown = 'x';
---
error: InvalidInput

SET halite.durability = 'x';
---
error: InvalidInput

SET datafusion.execution.batch_size = 'many';
---
error: InvalidInput

SELECT * FROM (VALUES (63, DEFAULT)) AS v;
---
error: NotSupported: DEFAULT among VALUES that are not those of an INSERT

-- Right: 4.
SELECT count(*) AS n FROM t;
---
+---+
| n |
+---+
| 4 |
+---+

SELECT * FROM u EXCEPT ALL SELECT * FROM u;
---
++
++

SELECT id FROM t WHERE c SIMILAR TO c;
---
error: NotSupported: SIMILAR TO a pattern that is no constant

SELECT a FROM t FETCH FIRST 1 ROW WITH TIES;
---
error: NotSupported: FETCH WITH TIES, with PERCENT, and beside LIMIT

SELECT a FROM t LIMIT 1 FETCH FIRST 1 ROW ONLY;
---
error: NotSupported: FETCH WITH TIES, with PERCENT, and beside LIMIT

SET LOCAL TIME ZONE 'UTC';
---
error: NotSupported: SET LOCAL TIME ZONE

