CREATE TABLE t (a INT, b INT NULL, c TEXT NULL, PRIMARY KEY (a));
CREATE TABLE s (a INT, n INT, PRIMARY KEY (a));
INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y'), (3, 30, 'z');
INSERT INTO s VALUES (2, 5), (3, 0), (4, 7), (5, 0);
---
CREATE TABLE
CREATE TABLE
INSERT 3
INSERT 4

MERGE INTO t USING s ON s.a = t.a
  WHEN MATCHED AND s.n = 0 THEN DELETE
  WHEN MATCHED THEN UPDATE SET b = t.b + s.n, c = 'merged'
  WHEN NOT MATCHED AND s.n > 0 THEN INSERT (a, b) VALUES (s.a, s.n);
SELECT * FROM t;
---
MERGE 3
+---+----+--------+
| a | b  | c      |
+---+----+--------+
| 1 | 10 | x      |
| 2 | 25 | merged |
| 4 | 7  |        |
+---+----+--------+

MERGE INTO t AS old USING (SELECT a, n * 100 AS n FROM s) AS new ON new.a = old.a
  WHEN NOT MATCHED BY SOURCE THEN DELETE
  WHEN MATCHED THEN UPDATE SET b = new.n, a = old.a + 10
  WHEN NOT MATCHED THEN INSERT VALUES (new.a, new.n, 'new')
  RETURNING old.a, old.b, new.n;
SELECT * FROM t;
---
+----+-----+-----+
| a  | b   | n   |
+----+-----+-----+
| 12 | 500 | 500 |
| 14 | 700 | 700 |
| 3  | 0   | 0   |
| 5  | 0   | 0   |
| 1  | 10  |     |
+----+-----+-----+
+----+-----+--------+
| a  | b   | c      |
+----+-----+--------+
| 3  | 0   | new    |
| 5  | 0   | new    |
| 12 | 500 | merged |
| 14 | 700 |        |
+----+-----+--------+

MERGE INTO t USING (VALUES (12, 1), (12, 2)) AS s (a, n) ON s.a = t.a WHEN MATCHED THEN UPDATE SET b = s.n;
MERGE INTO t USING (VALUES (1, 1), (1, 2)) AS s (a, n) ON s.a = t.a WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.n, NULL);
MERGE INTO t USING s ON s.a = t.a WHEN NOT MATCHED THEN INSERT (a) VALUES (1, 2);
MERGE INTO t USING (SELECT 1 AS a) ON true WHEN MATCHED THEN DELETE;
SELECT * FROM t;
---
error: InvalidInput, table `t`: table `t`: MERGE would change the row under the row key /12 twice, as it meets several rows of the other tables; let it meet one of them at most
error: Conflict, table `t`, constraint `PRIMARY KEY`: table `t`: two rows would be under the row key /1: row 1 of the statement, (a = 1) and row 2 of the statement, (a = 1)
error: InvalidInput, table `t`
error: InvalidInput
+----+-----+--------+
| a  | b   | c      |
+----+-----+--------+
| 3  | 0   | new    |
| 5  | 0   | new    |
| 12 | 500 | merged |
| 14 | 700 |        |
+----+-----+--------+

MERGE INTO t USING s ON s.a = t.a WHEN MATCHED THEN INSERT VALUES (1, 1, 'x');
---
error: InvalidInput

MERGE INTO t USING s ON s.a = t.a WHEN NOT MATCHED THEN DELETE;
---
error: InvalidInput

INSERT INTO t VALUES (20, 1000, 'y');
DELETE FROM t AS old USING s, (VALUES (1), (1)) AS twice (x) WHERE old.a = s.a + 10;
DELETE FROM t WHERE b > (SELECT avg(b) FROM t) RETURNING a, b + 1 AS more, t.*;
SELECT * FROM t;
---
INSERT 1
DELETE 2
+----+------+----+------+---+
| a  | more | a  | b    | c |
+----+------+----+------+---+
| 20 | 1001 | 20 | 1000 | y |
+----+------+----+------+---+
+---+---+-----+
| a | b | c   |
+---+---+-----+
| 3 | 0 | new |
| 5 | 0 | new |
+---+---+-----+

DELETE FROM t;
INSERT INTO t SELECT value, value, NULL FROM generate_series(1, 6);
DELETE FROM t LIMIT 2;
SELECT count(*) FROM t;
DELETE FROM t USING s LIMIT 1;
WITH most AS (SELECT max(a) AS a FROM t) DELETE FROM t USING most WHERE t.a = most.a RETURNING t.a, most.a;
EXPLAIN DELETE FROM t WHERE a = 3;
DELETE FROM t WHERE a NOT IN (SELECT a FROM s);
SELECT a FROM t;
---
DELETE 2
INSERT 6
DELETE 2
+----------+
| count(*) |
+----------+
| 4        |
+----------+
error: NotSupported: LIMIT of a DELETE with USING is not implemented
+---+---+
| a | a |
+---+---+
| 6 | 6 |
+---+---+
+---------------+----------------------------------------------------------------+
| plan_type     | plan                                                           |
+---------------+----------------------------------------------------------------+
| logical_plan  | DELETE: t                                                      |
|               |   Projection: t.a AS old a                                     |
|               |     TableScan: t projection=[a], full_filters=[t.a = Int32(3)] |
| physical_plan | DeleteExec: table=t                                            |
|               |   ProjectionExec: expr=[a@0 as old a]                          |
|               |     ScanExec: table=t, ranges=1, order=none, projection=[a]    |
|               |                                                                |
+---------------+----------------------------------------------------------------+
DELETE 0
+---+
| a |
+---+
| 3 |
| 4 |
| 5 |
+---+

