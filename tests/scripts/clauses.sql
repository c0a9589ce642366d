CREATE TABLE t (a INT NOT NULL, b INT, c TEXT, PRIMARY KEY (a));
INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y'), (3, 30, 'z');
---
CREATE TABLE
INSERT 3

DELETE FROM t TABLESAMPLE (1);
---
error: this form of TABLESAMPLE is not implemented; TABLESAMPLE BERNOULLI (10), (10 PERCENT) and (100 ROWS) are

DELETE FROM t PARTITION (p);
---
error: PARTITION after a table is not implemented

DELETE FROM t FOR SYSTEM_TIME AS OF '2024-01-01';
---
error: syntax error: Expected: end of statement, found: FOR at Line: 1, Column: 15

DELETE FROM t WITH (NOLOCK);
---
error: WITH (…) after a table is not implemented

DELETE FROM t WITH ORDINALITY;
---
error: WITH ORDINALITY is not implemented

DELETE FROM t(1);
---
error: DELETE from a function is not implemented

DELETE FROM t AS u WHERE u.a = 77;
---
DELETE 0

DELETE FROM t AS u (b, a, c) WHERE a = 10;
---
error: `t AS u (b, a, c)`: other names for the columns of a table that is changed are not implemented

DELETE t FROM t;
---
error: syntax error: Expected: end of statement, found: FROM at Line: 1, Column: 10

DELETE FROM t USING t AS u WHERE t.a = u.b;
---
DELETE 0

DELETE FROM t ORDER BY a LIMIT 1;
---
error: DELETE … ORDER BY is not implemented

DELETE FROM t WHERE a IN (SELECT a FROM t TABLESAMPLE (1));
---
error: this form of TABLESAMPLE is not implemented; TABLESAMPLE BERNOULLI (10), (10 PERCENT) and (100 ROWS) are

DELETE FROM t WHERE a IN (SELECT a FROM t PREWHERE b = 10);
---
error: PREWHERE is not implemented

DELETE FROM t WHERE EXISTS (WITH u AS (SELECT a FROM t FOR UPDATE) SELECT a FROM u);
---
error: FOR UPDATE is not implemented

SELECT count(*) AS left_over FROM t;
---
+-----------+
| left_over |
+-----------+
| 3         |
+-----------+

INSERT IGNORE INTO t VALUES (4, 40, 'w');
---
error: INSERT IGNORE is not implemented; write ON CONFLICT DO NOTHING

INSERT OVERWRITE t VALUES (4, 40, 'w');
---
error: INSERT OVERWRITE is not implemented

INSERT INTO t PARTITION (a = 4) VALUES (4, 40, 'w');
---
error: INSERT … PARTITION is not implemented

INSERT INTO t u VALUES (4, 40, 'w');
---
error: syntax error: Expected: SELECT, VALUES, or a subquery in the query body, found: u at Line: 1, Column: 15

INSERT INTO t SET a = 4;
---
error: syntax error: Expected: SELECT, VALUES, or a subquery in the query body, found: SET at Line: 1, Column: 15

INSERT INTO t SELECT a + 3, b, c FROM t TABLESAMPLE (1);
---
error: this form of TABLESAMPLE is not implemented; TABLESAMPLE BERNOULLI (10), (10 PERCENT) and (100 ROWS) are

SELECT a FROM t FOR UPDATE;
---
error: FOR UPDATE is not implemented

SELECT a FROM t FOR SHARE SKIP LOCKED;
---
error: FOR SHARE SKIP LOCKED is not implemented

SELECT a FROM t FOR JSON AUTO;
---
error: FOR JSON AUTO is not implemented

SELECT a FROM t SETTINGS max_threads = 1;
---
error: SETTINGS is not implemented

SELECT a FROM t FORMAT JSON;
---
error: FORMAT is not implemented

SELECT a FROM t PREWHERE b = 10;
---
error: PREWHERE is not implemented

SELECT a FROM t START WITH a = 1 CONNECT BY a = b;
---
error: CONNECT BY is not implemented

SELECT a FROM t DISTRIBUTE BY a;
---
error: DISTRIBUTE BY is not implemented

SELECT a FROM t CLUSTER BY a;
---
error: SORT BY or CLUSTER BY is not implemented; write ORDER BY

SELECT a FROM t SORT BY a;
---
error: SORT BY or CLUSTER BY is not implemented; write ORDER BY

SELECT TOP 1 a FROM t;
---
error: SELECT TOP is not implemented; write LIMIT

SELECT a INTO u FROM t;
---
error: SELECT … INTO is not implemented

SELECT a FROM t UNION SELECT a INTO u FROM t;
---
error: SELECT … INTO is not implemented

SELECT AS STRUCT a FROM t;
---
error: syntax error: Expected: end of statement, found: a at Line: 1, Column: 18

SELECT a FROM t FETCH FIRST 1 ROWS ONLY;
---
+---+
| a |
+---+
| 1 |
+---+

SELECT a FROM t LIMIT 1 BY a;
---
error: there is no column `a`

SELECT b, count(*) FROM t GROUP BY b WITH ROLLUP;
---
error: GROUP BY … WITH ROLLUP is not implemented

SELECT b, count(*) FROM t GROUP BY b WITH CUBE;
---
error: GROUP BY … WITH CUBE is not implemented

SELECT b, count(*) FROM t GROUP BY b WITH TOTALS;
---
error: GROUP BY … WITH TOTALS is not implemented

SELECT a FROM t ORDER BY a WITH FILL;
---
error: ORDER BY WITH FILL is not supported: WITH FILL

SELECT a FROM t SAMPLE 0.1;
---
error: this form of TABLESAMPLE is not implemented; TABLESAMPLE BERNOULLI (10), (10 PERCENT) and (100 ROWS) are

SELECT a FROM (SELECT a FROM t) TABLESAMPLE (1);
---
error: TABLESAMPLE is not implemented

SELECT a FROM t PARTITION (p);
---
error: PARTITION after a table is not implemented

SELECT a FROM t VERSION AS OF 3;
---
error: syntax error: Expected: end of statement, found: AS at Line: 1, Column: 25

SELECT a FROM t FOR SYSTEM_TIME AS OF '2024-01-01';
---
error: syntax error: Expected: one of UPDATE or SHARE, found: SYSTEM_TIME at Line: 1, Column: 21

SELECT a FROM t WITH (NOLOCK);
---
error: WITH (…) after a table is not implemented

SELECT a FROM t USE INDEX (x);
---
error: syntax error: Expected: end of statement, found: INDEX at Line: 1, Column: 21

SELECT * FROM generate_series(1, 2) WITH ORDINALITY;
---
error: WITH ORDINALITY is not implemented

SELECT * FROM t, LATERAL generate_series(1, 2) WITH ORDINALITY;
---
error: WITH ORDINALITY is not implemented

SELECT * FROM t, LATERAL generate_series(stop => 1, start => 2);
---
error: LATERAL with named arguments is not implemented

SELECT * FROM generate_series(1, 2, SETTINGS x = 1);
---
error: SETTINGS is not implemented

SELECT * FROM generate_series.t(1, 2);
---
error: a table function of a schema is not implemented

SELECT * FROM t AS u (a INT, b INT, c INT);
---
error: a type in the columns of an alias is not implemented

SELECT * FROM t GLOBAL JOIN t AS u ON t.a = u.a;
---
error: GLOBAL JOIN is not implemented

SELECT * FROM (t GLOBAL JOIN t AS u ON t.a = u.a);
---
error: GLOBAL JOIN is not implemented

SELECT * FROM t STRAIGHT_JOIN t AS u ON t.a = u.a;
---
error: syntax error: Expected: end of statement, found: t at Line: 1, Column: 31

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
error: ASOF JOIN is not implemented

SELECT * FROM t CROSS JOIN t AS u ON t.a = u.a;
---
error: syntax error: Expected: end of statement, found: ON at Line: 1, Column: 35

SELECT * FROM t CROSS APPLY (SELECT 1);
---
error: CROSS APPLY is not implemented; write CROSS JOIN LATERAL

WITH u AS (SELECT a FROM t FOR UPDATE) SELECT a FROM u;
---
error: FOR UPDATE is not implemented

WITH u (a INT) AS (SELECT a FROM t) SELECT a FROM u;
---
error: a type in the columns of an alias is not implemented

WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5 LIMIT 2) SELECT i FROM n;
---
error: LIMIT of a UNION of WITH RECURSIVE is not implemented

WITH RECURSIVE n AS (SELECT a FROM t UNION ALL SELECT b FROM t ORDER BY a LIMIT 1) SELECT a FROM n;
---
error: ORDER BY of a UNION of WITH RECURSIVE is not implemented

WITH RECURSIVE n AS (WITH u AS (SELECT 7 AS i) SELECT i FROM u UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i FROM n;
---
error: WITH before a UNION of WITH RECURSIVE is not implemented

WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL BY NAME SELECT i + 1 AS i FROM n WHERE i < 5) SELECT i FROM n;
---
error: UNION BY NAME of WITH RECURSIVE is not implemented

FROM t |> AGGREGATE sum(b) AS s DESC GROUP BY c;
---
error: an order of the values of |> AGGREGATE is not implemented

SELECT * FROM t |> TABLESAMPLE (1);
---
error: `TABLESAMPLE (1)` pipe operator is not supported yet

SELECT a, sum(b) OVER (w ORDER BY a) FROM t WINDOW w AS (PARTITION BY c);
---
error: a window that adds to a named one is not implemented

SELECT a, sum(b) OVER v FROM t WINDOW w AS (PARTITION BY c), v AS (w ORDER BY a);
---
error: a window that adds to a named one is not implemented

SELECT a FROM t WINDOW w AS (ORDER BY a) QUALIFY sum(b) OVER w > 10;
---
error: OVER w outside of the list of columns is not implemented

SELECT a FROM t WINDOW w AS (ORDER BY a) ORDER BY sum(b) OVER w;
---
error: OVER w outside of the list of columns is not implemented

SELECT c FROM t GROUP BY c HAVING sum(b) OVER w > 10 WINDOW w AS (ORDER BY c);
---
error: OVER w outside of the list of columns is not implemented

SELECT upper(DISTINCT c) FROM t;
---
error: `upper` is no aggregate, and takes no DISTINCT

SELECT abs(b) FILTER (WHERE b > 10) FROM t;
---
error: `abs` is no aggregate, and takes no FILTER

SELECT abs(b) OVER (ORDER BY a) FROM t;
---
error: `abs` is no aggregate, and takes no OVER

SELECT abs(b ORDER BY a) FROM t;
---
error: `abs` is no aggregate, and takes no clause among its arguments

SELECT abs(b) WITHIN GROUP (ORDER BY a) FROM t;
---
error: `abs` is no aggregate, and takes no WITHIN GROUP

SELECT abs(b) IGNORE NULLS FROM t;
---
error: `abs` is no aggregate, and takes no IGNORE NULLS or RESPECT NULLS

SELECT quantile(0.5)(b) FROM t;
---
error: a second list of arguments of `quantile` is not implemented

SELECT count(SELECT 1) FROM t;
---
error: syntax error: Expected: ), found: 1 at Line: 1, Column: 21

SELECT trim(c, 'x', 'y') FROM t;
---
error: TRIM with more than two arguments is not implemented

EXPLAIN SELECT a FROM t TABLESAMPLE (1);
---
error: this form of TABLESAMPLE is not implemented; TABLESAMPLE BERNOULLI (10), (10 PERCENT) and (100 ROWS) are

EXPLAIN KEYS SELECT a FROM t TABLESAMPLE (1);
---
error: this form of TABLESAMPLE is not implemented; TABLESAMPLE BERNOULLI (10), (10 PERCENT) and (100 ROWS) are

COPY (SELECT a FROM t TABLESAMPLE (1)) TO '/nowhere/t.csv';
---
error: this form of TABLESAMPLE is not implemented; TABLESAMPLE BERNOULLI (10), (10 PERCENT) and (100 ROWS) are

PREPARE p AS SELECT a FROM t TABLESAMPLE (1);
---
error: this form of TABLESAMPLE is not implemented; TABLESAMPLE BERNOULLI (10), (10 PERCENT) and (100 ROWS) are

PREPARE p AS DELETE FROM t TABLESAMPLE (1);
---
error: this form of TABLESAMPLE is not implemented; TABLESAMPLE BERNOULLI (10), (10 PERCENT) and (100 ROWS) are

PREPARE p AS EXPLAIN ESTIMATE SELECT a FROM t;
---
error: EXPLAIN ESTIMATE is not implemented

SELECT (SELECT max(a) FROM t TABLESAMPLE (1)) AS a;
---
error: this form of TABLESAMPLE is not implemented; TABLESAMPLE BERNOULLI (10), (10 PERCENT) and (100 ROWS) are

SELECT a FROM t WHERE a IN (SELECT b FROM (SELECT b FROM t FOR UPDATE) AS u);
---
error: FOR UPDATE is not implemented

DESCRIBE FORMATTED t;
---
error: DESCRIBE FORMATTED is not implemented; DESCRIBE is

DESCRIBE ANALYZE SELECT a FROM t;
---
error: DESCRIBE ANALYZE is not implemented

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
error: EXPLAIN COPY is not implemented

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

