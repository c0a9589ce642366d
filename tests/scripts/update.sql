CREATE TABLE t (a INT, b INT NULL, c TEXT, PRIMARY KEY (a));
CREATE TABLE u (a INT, n DOUBLE, PRIMARY KEY (a));
INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y'), (3, NULL, 'z');
INSERT INTO u VALUES (1, 0.5), (2, 2.5), (9, 9);
---
CREATE TABLE
CREATE TABLE
INSERT 3
INSERT 3

UPDATE t SET b = b + 1, c = c || a WHERE a <= 2;
SELECT * FROM t;
---
UPDATE 2
+---+----+----+
| a | b  | c  |
+---+----+----+
| 1 | 11 | x1 |
| 2 | 21 | y2 |
| 3 |    | z  |
+---+----+----+

UPDATE t SET b = a, a = a + 1;
SELECT * FROM t;
---
UPDATE 3
+---+---+----+
| a | b | c  |
+---+---+----+
| 2 | 1 | x1 |
| 3 | 2 | y2 |
| 4 | 3 | z  |
+---+---+----+

UPDATE t AS old SET b = 100 * u.n FROM u WHERE u.a = old.a;
SELECT * FROM t;
---
UPDATE 1
+---+-----+----+
| a | b   | c  |
+---+-----+----+
| 2 | 250 | x1 |
| 3 | 2   | y2 |
| 4 | 3   | z  |
+---+-----+----+

UPDATE t SET b = (SELECT sum(n) FROM u WHERE u.a = t.a), c = (SELECT max(c) FROM t) WHERE a IN (SELECT a FROM t WHERE b IS NOT NULL);
SELECT * FROM t;
---
UPDATE 3
+---+---+---+
| a | b | c |
+---+---+---+
| 2 | 2 | z |
| 3 |   | z |
| 4 |   | z |
+---+---+---+

WITH most AS (SELECT max(n) AS n FROM u) UPDATE t SET (b, c) = (most.n, 'most') FROM most WHERE t.a = 4;
SELECT * FROM t;
---
UPDATE 1
+---+---+------+
| a | b | c    |
+---+---+------+
| 2 | 2 | z    |
| 3 |   | z    |
| 4 | 9 | most |
+---+---+------+

UPDATE t SET b = NULL WHERE false;
UPDATE t SET b = NULL WHERE a = 77;
UPDATE t SET b = 5;
SELECT * FROM t;
---
UPDATE 0
UPDATE 0
UPDATE 3
+---+---+------+
| a | b | c    |
+---+---+------+
| 2 | 5 | z    |
| 3 | 5 | z    |
| 4 | 5 | most |
+---+---+------+

UPDATE t SET a = 3 WHERE a = 2;
UPDATE t SET a = 7;
UPDATE t SET a = NULL WHERE a = 2;
UPDATE t SET b = 'ten' WHERE a = 2;
UPDATE t SET b = b * 1000000000;
UPDATE t SET b = c WHERE a = 2;
UPDATE t SET b = u.n FROM u;
UPDATE t SET d = 1;
UPDATE t SET b = 1, b = 2;
UPDATE t SET b = max(a);
UPDATE t JOIN u ON t.a = u.a SET b = 1;
UPDATE t SET b = 1 LIMIT 1;
UPDATE v SET b = 1;
SELECT * FROM t;
---
error: Conflict, table `t`, constraint `PRIMARY KEY`: table `t`: two rows would be under the row key /3: the stored row (a = 3) and the row that was under /2, now (a = 3)
error: Conflict, table `t`, constraint `PRIMARY KEY`
error: InvalidInput, table `t`, column `a`, constraint `NOT NULL`: the row (a = 2): table `t`: column `a` is NOT NULL and is given NULL
error: InvalidInput, table `t`, column `b`
error: InvalidInput, table `t`, column `b`
error: InvalidInput, table `t`, column `b`
error: InvalidInput, table `t`
error: InvalidInput, table `t`, column `d`
error: InvalidInput, table `t`, column `b`
error: NotSupported: an aggregate, a window function or unnest outside of a subquery in SET; write a subquery
error: NotSupported: UPDATE of several tables
error: NotSupported: UPDATE … LIMIT
error: InvalidInput, table `v`
+---+---+------+
| a | b | c    |
+---+---+------+
| 2 | 5 | z    |
| 3 | 5 | z    |
| 4 | 5 | most |
+---+---+------+

EXPLAIN UPDATE t SET b = 1 WHERE a = 2;
---
+---------------+-------------------------------------------------------------------------------+
| plan_type     | plan                                                                          |
+---------------+-------------------------------------------------------------------------------+
| logical_plan  | UPDATE: t                                                                     |
|               |   Projection: t.a AS old a, t.a AS new a, Int32(1) AS new b, t.c AS new c     |
|               |     TableScan: t projection=[a, c], full_filters=[t.a = Int32(2)]             |
| physical_plan | UpdateExec: table=t                                                           |
|               |   ProjectionExec: expr=[a@0 as old a, a@0 as new a, 1 as new b, c@1 as new c] |
|               |     ScanExec: table=t, ranges=1, order=none, projection=[a, c]                |
|               |                                                                               |
+---------------+-------------------------------------------------------------------------------+

PREPARE set_b AS UPDATE t SET b = $1 WHERE a = $2;
EXECUTE set_b(3, 2);
EXECUTE set_b(4, 3);
EXECUTE set_b(1, 77);
SELECT * FROM t;
---
PREPARE
UPDATE 1
UPDATE 1
UPDATE 0
+---+---+------+
| a | b | c    |
+---+---+------+
| 2 | 3 | z    |
| 3 | 4 | z    |
| 4 | 5 | most |
+---+---+------+

CREATE TABLE hours (host TEXT, ts TIMESTAMP(3), n INT, PRIMARY KEY (salt(4), host, date_trunc('hour', ts)));
INSERT INTO hours VALUES ('a', '2024-01-01 00:10', 1), ('a', '2024-01-01 01:10', 2), ('b', '2024-01-01 00:10', 3);
UPDATE hours SET ts = ts + INTERVAL '20' MINUTE;
UPDATE hours SET ts = ts + INTERVAL '30' MINUTE, n = n + 10 WHERE host = 'a';
UPDATE hours SET host = 'a' WHERE host = 'b';
UPDATE hours SET ts = '2024-01-01 01:55' WHERE n = 11;
SELECT * FROM hours ORDER BY host, ts;
---
warning: table `hours`: rows share a key `date_trunc('hour', ts)`: nothing in the key separates rows that differ in ts alone: one row is possible for each value of the part; add the column as the last part if there can be more
CREATE TABLE
INSERT 3
UPDATE 3
UPDATE 2
UPDATE 1
UPDATE 1
+------+---------------------+----+
| host | ts                  | n  |
+------+---------------------+----+
| a    | 2024-01-01T00:30:00 | 3  |
| a    | 2024-01-01T01:55:00 | 11 |
| a    | 2024-01-01T02:00:00 | 12 |
+------+---------------------+----+

UPDATE t SET b = b + 1 WHERE a < 4 RETURNING *, b * 2 AS twice, (SELECT max(b) FROM t) AS before;
UPDATE t SET b = 0, a = t.a + 10 FROM u WHERE u.a = t.a RETURNING t.a, u.n, t.a, t.b AS b;
UPDATE t SET b = 1 WHERE false RETURNING a;
UPDATE t SET b = 7 RETURNING 1 / (a - 12);
UPDATE t SET b = 7 RETURNING max(a);
SELECT * FROM t;
---
+---+---+---+-------+--------+
| a | b | c | twice | before |
+---+---+---+-------+--------+
| 2 | 4 | z | 8     | 5      |
| 3 | 5 | z | 10    | 5      |
+---+---+---+-------+--------+
+----+-----+----+---+
| a  | n   | a  | b |
+----+-----+----+---+
| 12 | 2.5 | 12 | 0 |
+----+-----+----+---+
++
++
error: InvalidInput
error: NotSupported
+----+---+------+
| a  | b | c    |
+----+---+------+
| 3  | 5 | z    |
| 4  | 5 | most |
| 12 | 0 | z    |
+----+---+------+

EXPLAIN KEYS UPDATE t SET b = 1 WHERE a BETWEEN 3 AND 5 AND b > 2;
EXPLAIN KEYS DELETE FROM t USING u WHERE t.a = 7 AND u.a = t.a;
---
t range /3 .. /5  80000003..80000006  residual: b > 2 (b is not in the row key)
u point /7  80000007..80000008  tight
t point /7  80000007..80000008  tight
t runtime a  ..  tight

