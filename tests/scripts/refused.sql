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
error: syntax error: EXCEPT pipe operator requires DISTINCT modifier

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
error: USING (`k`): one side of the join has no column of that name

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
error: NATURAL RIGHT or FULL JOIN of tables that have no column in common is not implemented; write ON …

SELECT id FROM t NATURAL FULL OUTER JOIN u;
---
error: NATURAL RIGHT or FULL JOIN of tables that have no column in common is not implemented; write ON …

SELECT * FROM t NATURAL LEFT JOIN b;
---
error: NATURAL JOIN of `t` and `b`, which have no column in common, is not implemented; write CROSS JOIN or ON …

SELECT * FROM u NATURAL JOIN b AS v;
---
error: NATURAL JOIN of `u` and `v`, which have no column in common, is not implemented; write CROSS JOIN or ON …

SELECT count(*) FROM t NATURAL JOIN (SELECT id FROM t) AS w NATURAL LEFT JOIN b;
---
error: NATURAL JOIN of `w` and `b`, which have no column in common, is not implemented; write CROSS JOIN or ON …

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
error: JOIN without ON or USING is not implemented; write CROSS JOIN where every row is to meet every row

SELECT * FROM t LEFT JOIN u;
---
error: JOIN without ON or USING is not implemented; write CROSS JOIN where every row is to meet every row

SELECT * FROM t CROSS APPLY (SELECT 1);
---
error: CROSS APPLY is not implemented; write CROSS JOIN LATERAL

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
error: DISTINCT ON with the position of a column is not implemented; name the column

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
error: column `n` of WITH RECURSIVE `x` is Int64 in the first SELECT and Decimal128(22, 1) in the second; cast it in the first SELECT to a type that holds both, or in the second

WITH RECURSIVE x (m, n) AS (SELECT 0, CAST(1 AS DECIMAL(3, 1)) UNION ALL SELECT m, n * 1.25 FROM x WHERE n < 3) SELECT n FROM x;
---
error: column `n` of WITH RECURSIVE `x` is Decimal128(3, 1) in the first SELECT and Decimal128(7, 3) in the second; cast it in the first SELECT to a type that holds both, or in the second

WITH RECURSIVE x AS (SELECT NULL AS n, 1 AS m UNION ALL SELECT m, m + 1 FROM x WHERE m < 3) SELECT n FROM x;
---
error: Cannot automatically convert BIGINT to NULL

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
error: * ILIKE is not implemented; name the columns

SELECT t.* ILIKE 'zz%' FROM t;
---
error: * ILIKE is not implemented; name the columns

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
error: count(DISTINCT *) is not implemented; write SELECT count(*) FROM (SELECT DISTINCT * FROM …)

SELECT count(DISTINCT t.*) FROM t;
---
error: count(DISTINCT *) is not implemented; write SELECT count(*) FROM (SELECT DISTINCT * FROM …)

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
error: `lag` takes no DISTINCT

SELECT ntile(DISTINCT 2) OVER (ORDER BY id) FROM t;
---
error: `ntile` takes no DISTINCT

SELECT first_value(DISTINCT a) OVER (ORDER BY id) FROM t;
---
error: `first_value` takes no DISTINCT

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
error: `row_number` takes no IGNORE NULLS

SELECT rank() IGNORE NULLS OVER (ORDER BY id) FROM t;
---
error: `rank` takes no IGNORE NULLS

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
error: DISTINCT among the arguments of `covar_samp` is not implemented; select the DISTINCT values in a subquery of FROM

SELECT regr_count(DISTINCT a, id) FROM t;
---
error: DISTINCT among the arguments of `regr_count` is not implemented; select the DISTINCT values in a subquery of FROM

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
error: a cast to CHAR(2) is not implemented; write left(x, 3) for its first 3 characters, or cast to TEXT

PREPARE p (VARCHAR(3)) AS SELECT $1;
---
error: a cast to VARCHAR(3) is not implemented; write left(x, 3) for its first 3 characters, or cast to TEXT

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
error: row 1: table `w`: column `a` of type VARCHAR(2) cannot hold 'abc': it has more than 2 characters

DELETE FROM t, u;
---
error: DELETE from several tables is not implemented; write DELETE FROM … USING … WHERE …

DELETE FROM t JOIN u ON id = k;
---
error: DELETE from several tables is not implemented; write DELETE FROM … USING … WHERE …

SET SESSION AUTHORIZATION DEFAULT;
---
error: this form of SET is not implemented; write SET name = value, not `SET SESSION AUTHORIZATION DEFAULT`

SET datafusion.execution.time_zone = 'Europe/Berlin';
---
SET

SET timezone = 'UTC';
---
SET

SELECT c COLLATE "C" FROM t;
---
error: COLLATE is not implemented; text is compared by its bytes

SELECT id FROM t ORDER BY c COLLATE "de-DE";
---
error: COLLATE is not implemented; text is compared by its bytes

SELECT id FROM t WHERE c RLIKE 'a';
---
error: RLIKE is not implemented; write ~ or !~

SELECT id FROM t WHERE c REGEXP 'a';
---
error: REGEXP is not implemented; write ~ or !~

SELECT c IS NFC NORMALIZED FROM t;
---
error: IS NORMALIZED is not implemented

SELECT * FROM t PIVOT (sum(a) FOR c IN (ANY));
---
error: PIVOT over values that a query finds is not implemented; list them: FOR c IN ('x', 'y')

SELECT * FROM t PIVOT (sum(a) FOR (b, c) IN (1));
---
error: PIVOT over several columns is not implemented; write sum(…) FILTER (WHERE …)

SELECT * FROM t PIVOT (sum(t.a) FOR c IN ('a'));
---
error: PIVOT is given `t.a`; name its column alone

SELECT * FROM t UNPIVOT (v FOR n IN (id + 1));
---
error: UNPIVOT of `id + 1` is not implemented; name columns

PIVOT t ON c USING sum(a);
---
error: syntax error: Expected: an SQL statement, found: PIVOT; write SELECT * FROM t PIVOT (sum(n) FOR c IN ('x', 'y')) at Line: 1, Column: 1

VACUUM FULL;
---
error: `VACUUM FULL` is not implemented; VACUUM and VACUUM name are

VACUUM missing;
---
error: there is no table `missing`; there are b, t, u, w

VACUUM t;
---
+---------------+----------------------------------------------------------+
| about         | value                                                    |
+---------------+----------------------------------------------------------+
| nothing to do | memory is given back as soon as nobody reads it any more |
+---------------+----------------------------------------------------------+

PRAGMA table_info('t');
---
error: PRAGMA is not implemented; write DESCRIBE t, SHOW TABLES, or SET name = value

GRANT SELECT ON t TO somebody;
---
error: a user, a role or a right is not implemented; a database has no users: whoever may write its directory may do everything; --readonly and --safe restrict a program

ANALYZE t;
---
error: ANALYZE is not implemented; the sizes of tables are known without it: SELECT * FROM halite_tables()

SELECT * FROM t ASOF JOIN t AS u ON t.id >= u.id;
---
error: syntax error: Expected: MATCH_CONDITION, found: ON; write LEFT JOIN LATERAL (SELECT * FROM b WHERE b.ts <= a.ts ORDER BY b.ts DESC LIMIT 1) AS b ON true at Line: 1, Column: 34

SELECT TOP 1 a FROM t;
---
error: SELECT TOP is not implemented; write LIMIT

SELECT a FROM t SORT BY a;
---
error: SORT BY or CLUSTER BY is not implemented; write ORDER BY

SELECT a FROM t CLUSTER BY a;
---
error: SORT BY or CLUSTER BY is not implemented; write ORDER BY

SELECT a FROM t DISTRIBUTE BY a;
---
error: DISTRIBUTE BY is not implemented

SET halite.piece_bytes = -1;
---
error: halite.piece_bytes cannot be '-1': invalid digit found in string

SET halite.pushdown = 'x';
---
error: halite.pushdown cannot be 'x': provided string was not `true` or `false`

SET halite.durability = 'x';
---
error: 'x' is no durability: 'sync' (what is acknowledged survives a power cut) and 'buffered' (the end of the process alone) are

SET datafusion.execution.batch_size = 'many';
---
error: datafusion.execution.batch_size cannot be 'many': invalid digit found in string

SELECT * FROM (VALUES (63, DEFAULT)) AS v;
---
error: DEFAULT among VALUES that are not those of an INSERT is not implemented

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
error: SIMILAR TO a pattern that is no constant is not implemented; write LIKE, or ~ with a regular expression

SELECT a FROM t FETCH FIRST 1 ROW WITH TIES;
---
error: FETCH WITH TIES, with PERCENT, and beside LIMIT is not implemented; write LIMIT

SELECT a FROM t LIMIT 1 FETCH FIRST 1 ROW ONLY;
---
error: FETCH WITH TIES, with PERCENT, and beside LIMIT is not implemented; write LIMIT

SET LOCAL TIME ZONE 'UTC';
---
error: SET LOCAL TIME ZONE is not implemented; write SET TIME ZONE '…'

