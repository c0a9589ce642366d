CREATE TABLE t (a INT NOT NULL, b INT, c TEXT, PRIMARY KEY (a));
INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y'), (3, 30, 'z');
---
CREATE TABLE
INSERT 3

DELETE FROM t TABLESAMPLE (1);
---
error: NotSupported: this form of TABLESAMPLE is not implemented; TABLESAMPLE BERNOULLI (10), (10 PERCENT) and (100 ROWS) are

DELETE FROM t PARTITION (p);
---
error: NotSupported: PARTITION after a table

DELETE FROM t FOR SYSTEM_TIME AS OF '2024-01-01';
---
error: InvalidInput: syntax error: Expected: end of statement, found: FOR at Line: 1, Column: 15

DELETE FROM t WITH (NOLOCK);
---
error: NotSupported: WITH (…) after a table

DELETE FROM t WITH ORDINALITY;
---
error: NotSupported: WITH ORDINALITY

DELETE FROM t(1);
---
error: NotSupported: DELETE from a function

DELETE FROM t AS u WHERE u.a = 77;
---
DELETE 0

DELETE FROM t AS u (b, a, c) WHERE a = 10;
---
error: NotSupported

DELETE t FROM t;
---
error: InvalidInput

DELETE FROM t USING t AS u WHERE t.a = u.b;
---
DELETE 0

DELETE FROM t ORDER BY a LIMIT 1;
---
error: NotSupported: DELETE … ORDER BY

DELETE FROM t WHERE a IN (SELECT a FROM t TABLESAMPLE (1));
---
error: NotSupported: this form of TABLESAMPLE

DELETE FROM t WHERE a IN (SELECT a FROM t PREWHERE b = 10);
---
error: NotSupported: PREWHERE

DELETE FROM t WHERE EXISTS (WITH u AS (SELECT a FROM t FOR UPDATE) SELECT a FROM u);
---
error: NotSupported: FOR UPDATE

SELECT count(*) AS left_over FROM t;
---
+-----------+
| left_over |
+-----------+
| 3         |
+-----------+

INSERT IGNORE INTO t VALUES (4, 40, 'w');
---
error: NotSupported: INSERT IGNORE

INSERT OVERWRITE t VALUES (4, 40, 'w');
---
error: NotSupported: INSERT OVERWRITE

INSERT INTO t PARTITION (a = 4) VALUES (4, 40, 'w');
---
error: NotSupported: INSERT … PARTITION

INSERT INTO t u VALUES (4, 40, 'w');
---
error: InvalidInput

INSERT INTO t SET a = 4;
---
error: InvalidInput

INSERT INTO t SELECT a + 3, b, c FROM t TABLESAMPLE (1);
---
error: NotSupported: this form of TABLESAMPLE

SELECT a FROM t FOR UPDATE;
---
error: NotSupported: FOR UPDATE

SELECT a FROM t FOR SHARE SKIP LOCKED;
---
error: NotSupported: FOR SHARE SKIP LOCKED

SELECT a FROM t FOR JSON AUTO;
---
error: NotSupported: FOR JSON AUTO

SELECT a FROM t SETTINGS max_threads = 1;
---
error: NotSupported: SETTINGS

SELECT a FROM t FORMAT JSON;
---
error: NotSupported: FORMAT

SELECT a FROM t PREWHERE b = 10;
---
error: NotSupported: PREWHERE

SELECT a FROM t START WITH a = 1 CONNECT BY a = b;
---
error: NotSupported: CONNECT BY

SELECT a FROM t DISTRIBUTE BY a;
---
error: NotSupported: DISTRIBUTE BY

SELECT a FROM t CLUSTER BY a;
---
error: NotSupported: SORT BY or CLUSTER BY

SELECT a FROM t SORT BY a;
---
error: NotSupported: SORT BY or CLUSTER BY

SELECT TOP 1 a FROM t;
---
error: NotSupported: SELECT TOP

SELECT a INTO u FROM t;
---
error: NotSupported: SELECT … INTO

SELECT a FROM t UNION SELECT a INTO u FROM t;
---
error: NotSupported: SELECT … INTO

SELECT AS STRUCT a FROM t;
---
error: InvalidInput

SELECT a FROM t FETCH FIRST 1 ROWS ONLY;
---
+---+
| a |
+---+
| 1 |
+---+

SELECT a FROM t LIMIT 1 BY a;
---
error: InvalidInput, column `a`

SELECT b, count(*) FROM t GROUP BY b WITH ROLLUP;
---
error: NotSupported: GROUP BY … WITH ROLLUP

SELECT b, count(*) FROM t GROUP BY b WITH CUBE;
---
error: NotSupported: GROUP BY … WITH CUBE

SELECT b, count(*) FROM t GROUP BY b WITH TOTALS;
---
error: NotSupported: GROUP BY … WITH TOTALS

SELECT a FROM t ORDER BY a WITH FILL;
---
error: NotSupported

SELECT a FROM t SAMPLE 0.1;
---
error: NotSupported: this form of TABLESAMPLE

SELECT a FROM (SELECT a FROM t) TABLESAMPLE (1);
---
error: NotSupported: TABLESAMPLE

SELECT a FROM t PARTITION (p);
---
error: NotSupported: PARTITION after a table

SELECT a FROM t VERSION AS OF 3;
---
error: InvalidInput

SELECT a FROM t FOR SYSTEM_TIME AS OF '2024-01-01';
---
error: InvalidInput

SELECT a FROM t WITH (NOLOCK);
---
error: NotSupported: WITH (…) after a table

SELECT a FROM t USE INDEX (x);
---
error: InvalidInput

SELECT * FROM generate_series(1, 2) WITH ORDINALITY;
---
error: NotSupported: WITH ORDINALITY

SELECT * FROM t, LATERAL generate_series(1, 2) WITH ORDINALITY;
---
error: NotSupported: WITH ORDINALITY

SELECT * FROM t, LATERAL generate_series(stop => 1, start => 2);
---
error: NotSupported: LATERAL with named arguments

SELECT * FROM generate_series(1, 2, SETTINGS x = 1);
---
error: NotSupported: SETTINGS

SELECT * FROM generate_series.t(1, 2);
---
error: NotSupported: a table function of a schema

SELECT * FROM t AS u (a INT, b INT, c INT);
---
error: NotSupported: a type in the columns of an alias

SELECT * FROM t GLOBAL JOIN t AS u ON t.a = u.a;
---
error: NotSupported: GLOBAL JOIN

SELECT * FROM (t GLOBAL JOIN t AS u ON t.a = u.a);
---
error: NotSupported: GLOBAL JOIN

SELECT * FROM t STRAIGHT_JOIN t AS u ON t.a = u.a;
---
error: InvalidInput

SELECT * FROM t SEMI JOIN t AS u ON t.a = u.a;
---
+---+----+---+
| a | b  | c |
+---+----+---+
| 1 | 10 | x |
| 2 | 20 | y |
| 3 | 30 | z |
+---+----+---+

SELECT * FROM t ASOF JOIN t AS u MATCH_CONDITION (t.a >= u.a) ON t.b = u.b;
---
error: NotSupported: ASOF JOIN

SELECT * FROM t CROSS JOIN t AS u ON t.a = u.a;
---
error: InvalidInput

SELECT * FROM t CROSS APPLY (SELECT 1);
---
error: NotSupported: CROSS APPLY

WITH u AS (SELECT a FROM t FOR UPDATE) SELECT a FROM u;
---
error: NotSupported: FOR UPDATE

WITH u (a INT) AS (SELECT a FROM t) SELECT a FROM u;
---
error: NotSupported: a type in the columns of an alias

WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5 LIMIT 2) SELECT i FROM n;
---
error: NotSupported: LIMIT of a UNION of WITH RECURSIVE

WITH RECURSIVE n AS (SELECT a FROM t UNION ALL SELECT b FROM t ORDER BY a LIMIT 1) SELECT a FROM n;
---
error: NotSupported: ORDER BY of a UNION of WITH RECURSIVE

WITH RECURSIVE n AS (WITH u AS (SELECT 7 AS i) SELECT i FROM u UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i FROM n;
---
error: NotSupported: WITH before a UNION of WITH RECURSIVE

WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL BY NAME SELECT i + 1 AS i FROM n WHERE i < 5) SELECT i FROM n;
---
error: NotSupported: UNION BY NAME of WITH RECURSIVE

FROM t |> AGGREGATE sum(b) AS s DESC GROUP BY c;
---
error: NotSupported: an order of the values of |> AGGREGATE

SELECT * FROM t |> TABLESAMPLE (1);
---
error: NotSupported

SELECT a, sum(b) OVER (w ORDER BY a) FROM t WINDOW w AS (PARTITION BY c);
---
error: NotSupported: a window that adds to a named one

SELECT a, sum(b) OVER v FROM t WINDOW w AS (PARTITION BY c), v AS (w ORDER BY a);
---
error: NotSupported: a window that adds to a named one

SELECT a FROM t WINDOW w AS (ORDER BY a) QUALIFY sum(b) OVER w > 10;
---
error: NotSupported: OVER w outside of the list of columns

SELECT a FROM t WINDOW w AS (ORDER BY a) ORDER BY sum(b) OVER w;
---
error: NotSupported: OVER w outside of the list of columns

SELECT c FROM t GROUP BY c HAVING sum(b) OVER w > 10 WINDOW w AS (ORDER BY c);
---
error: NotSupported: OVER w outside of the list of columns

SELECT upper(DISTINCT c) FROM t;
---
error: NotSupported

SELECT abs(b) FILTER (WHERE b > 10) FROM t;
---
error: NotSupported

SELECT abs(b) OVER (ORDER BY a) FROM t;
---
error: NotSupported

SELECT abs(b ORDER BY a) FROM t;
---
error: NotSupported

SELECT abs(b) WITHIN GROUP (ORDER BY a) FROM t;
---
error: NotSupported

SELECT abs(b) IGNORE NULLS FROM t;
---
error: NotSupported

SELECT quantile(0.5)(b) FROM t;
---
error: NotSupported: a second list of arguments of `quantile`

SELECT count(SELECT 1) FROM t;
---
error: InvalidInput

SELECT trim(c, 'x', 'y') FROM t;
---
error: NotSupported: TRIM with more than two arguments

EXPLAIN SELECT a FROM t TABLESAMPLE (1);
---
error: NotSupported: this form of TABLESAMPLE

EXPLAIN KEYS SELECT a FROM t TABLESAMPLE (1);
---
error: NotSupported: this form of TABLESAMPLE

COPY (SELECT a FROM t TABLESAMPLE (1)) TO '/nowhere/t.csv';
---
error: NotSupported: this form of TABLESAMPLE

PREPARE p AS SELECT a FROM t TABLESAMPLE (1);
---
error: NotSupported: this form of TABLESAMPLE

PREPARE p AS DELETE FROM t TABLESAMPLE (1);
---
error: NotSupported: this form of TABLESAMPLE

PREPARE p AS EXPLAIN ESTIMATE SELECT a FROM t;
---
error: NotSupported: EXPLAIN ESTIMATE

SELECT (SELECT max(a) FROM t TABLESAMPLE (1)) AS a;
---
error: NotSupported: this form of TABLESAMPLE

SELECT a FROM t WHERE a IN (SELECT b FROM (SELECT b FROM t FOR UPDATE) AS u);
---
error: NotSupported: FOR UPDATE

DESCRIBE FORMATTED t;
---
error: NotSupported: DESCRIBE FORMATTED

DESCRIBE ANALYZE SELECT a FROM t;
---
error: NotSupported: DESCRIBE ANALYZE

SELECT /*+ FULL(t) */ count(*) AS rows FROM t;
---
+------+
| rows |
+------+
| 3    |
+------+

INSERT /*+ APPEND */ INTO t VALUES (4, 40, 'w');
---
INSERT 1

DELETE /*+ FULL(t) */ FROM t WHERE a = 4;
---
DELETE 1

FROM t SELECT a WHERE a = 1;
---
+---+
| a |
+---+
| 1 |
+---+

FROM t WHERE a = 1;
---
+---+----+---+
| a | b  | c |
+---+----+---+
| 1 | 10 | x |
+---+----+---+

FROM t;
---
+---+----+---+
| a | b  | c |
+---+----+---+
| 1 | 10 | x |
| 2 | 20 | y |
| 3 | 30 | z |
+---+----+---+

FROM t |> WHERE a = 1;
---
+---+----+---+
| a | b  | c |
+---+----+---+
| 1 | 10 | x |
+---+----+---+

EXPLAIN KEYS FROM t |> WHERE a = 1;
---
t point /1  80000001..80000002  tight

EXPLAIN COPY t TO '/nowhere/t.csv';
---
error: NotSupported: EXPLAIN COPY

SELECT a FROM t QUALIFY row_number() OVER (ORDER BY a DESC) = 1;
---
+---+
| a |
+---+
| 3 |
+---+

SELECT a, sum(b) OVER w AS s FROM t WINDOW w AS (ORDER BY a) ORDER BY a;
---
+---+----+
| a | s  |
+---+----+
| 1 | 10 |
| 2 | 30 |
| 3 | 60 |
+---+----+

DELETE FROM t LIMIT 1;
---
DELETE 1

SELECT count(*) AS rows FROM t;
---
+------+
| rows |
+------+
| 2    |
+------+

