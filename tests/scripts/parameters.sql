CREATE TABLE t (a INT PRIMARY KEY, d DECIMAL(10,2), s TEXT, dt DATE, ts TIMESTAMP, iv INTERVAL);
INSERT INTO t VALUES (1, 9.99, 'x', '2024-01-31', '2024-01-31 10:00', '1 month'), (2, 10.00, 'y', '2024-02-29', '2024-02-29 12:00', '29 days'), (3, 10.01, 'z', NULL, NULL, '31 days'), (4, 10.02, 'w', NULL, NULL, NULL);
---
CREATE TABLE
INSERT 4

-- what an operator is hangs on the types of the values
PREPARE later AS SELECT ts + $1 AS later FROM t WHERE a = $2;
EXECUTE later(INTERVAL '1 day', 1);
EXECUTE later('1 month 2 hours', 2);
PREPARE next AS SELECT dt + $1 AS next FROM t WHERE a = 1;
EXECUTE next(INTERVAL '1 day');
EXECUTE next(3);
EXECUTE next(INTERVAL '1 hour');
PREPARE days AS SELECT dt + INTERVAL ($1) DAY AS d FROM t WHERE a = 1;
EXECUTE days(1);
EXECUTE days(1.5e0);
PREPARE product AS SELECT $1 * $2;
EXECUTE product(3, 4);
EXECUTE product(3, INTERVAL '1 day');
PREPARE joined AS SELECT $1 || $2;
EXECUTE joined('a', 'b');
EXECUTE joined('a', 1);
PREPARE total AS SELECT sum($1), avg($1) FROM t;
EXECUTE total(3);
EXECUTE total(0.5);
---
PREPARE
+---------------------+
| later               |
+---------------------+
| 2024-02-01T10:00:00 |
+---------------------+
+---------------------+
| later               |
+---------------------+
| 2024-03-29T14:00:00 |
+---------------------+
PREPARE
+------------+
| next       |
+------------+
| 2024-02-01 |
+------------+
+------------+
| next       |
+------------+
| 2024-02-03 |
+------------+
+---------------------+
| next                |
+---------------------+
| 2024-01-31T01:00:00 |
+---------------------+
PREPARE
+------------+
| d          |
+------------+
| 2024-02-01 |
+------------+
+---------------------+
| d                   |
+---------------------+
| 2024-02-01T12:00:00 |
+---------------------+
PREPARE
+---------+
| $1 * $2 |
+---------+
| 12      |
+---------+
+---------+
| $1 * $2 |
+---------+
| 3 days  |
+---------+
PREPARE
+----------+
| $1 || $2 |
+----------+
| ab       |
+----------+
+----------+
| $1 || $2 |
+----------+
| a1       |
+----------+
PREPARE
+---------+---------+
| sum($1) | avg($1) |
+---------+---------+
| 12      | 3.0     |
+---------+---------+
+---------+--------------------+
| sum($1) | avg($1)            |
+---------+--------------------+
| 2.0     | 0.5000000000000000 |
+---------+--------------------+

-- constants are wanted
PREPARE part AS SELECT a, date_part($1, ts) AS p FROM t WHERE a < $2 ORDER BY a;
EXECUTE part('year', 3);
EXECUTE part('month', 3);
PREPARE similar AS SELECT 'abc' SIMILAR TO $1;
EXECUTE similar('a(b|c)%');
PREPARE series AS SELECT * FROM generate_series(1, $1);
EXECUTE series(3);
PREPARE items AS SELECT unnest($1);
EXECUTE items([1, 2]);
PREPARE frame AS SELECT a, sum(a) OVER (ORDER BY a ROWS $1 PRECEDING) AS s FROM t;
EXECUTE frame(1);
PREPARE counted AS WITH RECURSIVE r AS (SELECT $1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < $2) SELECT * FROM r;
EXECUTE counted(1, 3);
---
PREPARE
+---+------+
| a | p    |
+---+------+
| 1 | 2024 |
| 2 | 2024 |
+---+------+
+---+---+
| a | p |
+---+---+
| 1 | 1 |
| 2 | 2 |
+---+---+
PREPARE
+---------------------+
| 'abc' SIMILAR TO $1 |
+---------------------+
| true                |
+---------------------+
PREPARE
+-------+
| value |
+-------+
| 1     |
| 2     |
| 3     |
+-------+
PREPARE
+------------+
| unnest($1) |
+------------+
| 1          |
| 2          |
+------------+
PREPARE
+---+---+
| a | s |
+---+---+
| 1 | 1 |
| 2 | 3 |
| 3 | 5 |
| 4 | 7 |
+---+---+
PREPARE
+---+
| n |
+---+
| 1 |
| 2 |
| 3 |
+---+

-- values keep their own types beside others
PREPARE without AS SELECT d FROM t EXCEPT SELECT $1 ORDER BY d;
EXECUTE without(9.996);
EXECUTE without(9.99);
PREPARE both AS VALUES ($1), ($2);
EXECUTE both(1e-20, 2.5);
EXECUTE both('a', 'b');
VALUES (1e-20), (CAST(2.5 AS DECIMAL(3,1)));
---
PREPARE
+--------+
| d      |
+--------+
| 9.990  |
| 10.000 |
| 10.010 |
| 10.020 |
+--------+
+-------+
| d     |
+-------+
| 10.00 |
| 10.01 |
| 10.02 |
+-------+
PREPARE
+---------+
| column1 |
+---------+
| 1e-20   |
| 2.5     |
+---------+
+---------+
| column1 |
+---------+
| a       |
| b       |
+---------+
+---------+
| column1 |
+---------+
| 1e-20   |
| 2.5     |
+---------+

-- a change for the types of its values
PREPARE move AS UPDATE t SET ts = ts + $1 WHERE a = $2 RETURNING ts;
EXECUTE move(INTERVAL '1 day', 1);
EXECUTE move('-1 day', 1);
---
PREPARE
+---------------------+
| ts                  |
+---------------------+
| 2024-02-01T10:00:00 |
+---------------------+
+---------------------+
| ts                  |
+---------------------+
| 2024-01-31T10:00:00 |
+---------------------+

-- EXPLAIN of what is executed
PREPARE found AS SELECT s FROM t WHERE a = $1;
EXPLAIN EXECUTE found(2);
---
PREPARE
+---------------+------------------------------------------------------------+
| plan_type     | plan                                                       |
+---------------+------------------------------------------------------------+
| logical_plan  | TableScan: t projection=[s], full_filters=[t.a = Int32(2)] |
| physical_plan | ScanExec: table=t, ranges=1, order=none, projection=[s]    |
|               |                                                            |
+---------------+------------------------------------------------------------+

-- what is wrong is told for the values
EXECUTE later(true, 1);
---
error: InvalidInput: Cannot coerce arithmetic expression TIMESTAMP(9) + BOOLEAN to valid types

EXPLAIN EXECUTE found(1, 2);
---
error: InvalidInput

EXPLAIN EXECUTE nothing(1);
---
error: InvalidInput

PREPARE unread AS WITH q AS (SELECT $1) SELECT 5;
EXECUTE unread(1);
---
PREPARE
+---+
| 5 |
+---+
| 5 |
+---+

EXECUTE unread();
---
error: InvalidInput

WITH u AS (UPDATE t SET s = 'q' WHERE a = 1 RETURNING a) SELECT * FROM u;
---
error: NotSupported: a change inside of WITH is not implemented; run it as a statement of its own, with RETURNING for its rows

-- texts and NULL beside times and intervals
SELECT ts + '1 day' AS a, '1 hour' + ts AS b, ts - '90 minutes' AS c, dt + '1 day' AS d, dt - '1 hour' AS e, ts + NULL AS n FROM t WHERE a = 1;
SELECT a FROM t WHERE iv BETWEEN '29 days' AND '30 days' ORDER BY a;
---
+---------------------+---------------------+---------------------+------------+---------------------+---+
| a                   | b                   | c                   | d          | e                   | n |
+---------------------+---------------------+---------------------+------------+---------------------+---+
| 2024-02-01T10:00:00 | 2024-01-31T11:00:00 | 2024-01-31T08:30:00 | 2024-02-01 | 2024-01-30T23:00:00 |   |
+---------------------+---------------------+---------------------+------------+---------------------+---+
+---+
| a |
+---+
| 1 |
| 2 |
+---+

-- intervals go by their lengths
SELECT min(iv), max(iv) FROM t;
SELECT a, min(iv) OVER (ORDER BY a) AS least, max(iv) OVER (ORDER BY a ROWS 1 PRECEDING) AS longest FROM t ORDER BY a;
SELECT greatest(iv, INTERVAL '30 days', INTERVAL '29 days'), least(iv, INTERVAL '30 days') FROM t ORDER BY a;
SELECT nullif(iv, INTERVAL '30 days') AS n, CASE iv WHEN INTERVAL '30 days' THEN 'month' WHEN '29 days' THEN 'less' ELSE 'else' END AS c FROM t ORDER BY a;
SELECT a FROM t WHERE iv IN (SELECT INTERVAL '30 days');
SELECT a FROM t WHERE iv NOT IN (SELECT INTERVAL '30 days') ORDER BY a;
SELECT avg(iv), avg(iv) FILTER (WHERE a > 5) FROM t;
SELECT a % 2 AS g, avg(iv) FROM t GROUP BY g ORDER BY g;
SELECT a, avg(iv) OVER (ORDER BY a ROWS 1 PRECEDING) AS m FROM t ORDER BY a;
---
+---------+---------+
| min(iv) | max(iv) |
+---------+---------+
| 29 days | 31 days |
+---------+---------+
+---+---------+---------+
| a | least   | longest |
+---+---------+---------+
| 1 | 1 mons  | 1 mons  |
| 2 | 29 days | 1 mons  |
| 3 | 29 days | 31 days |
| 4 | 29 days | 31 days |
+---+---------+---------+
+------------------------------------------------------+-------------------------------+
| greatest(iv, INTERVAL '30 days', INTERVAL '29 days') | least(iv, INTERVAL '30 days') |
+------------------------------------------------------+-------------------------------+
| 1 mons                                               | 30 days                       |
| 30 days                                              | 29 days                       |
| 31 days                                              | 30 days                       |
| 30 days                                              | 30 days                       |
+------------------------------------------------------+-------------------------------+
+---------+-------+
| n       | c     |
+---------+-------+
|         | month |
| 29 days | less  |
| 31 days | else  |
|         | else  |
+---------+-------+
+---+
| a |
+---+
| 1 |
+---+
+---+
| a |
+---+
| 2 |
| 3 |
+---+
+---------+------------------------------+
| avg(iv) | avg(iv) FILTER (WHERE a > 5) |
+---------+------------------------------+
| 30 days |                              |
+---------+------------------------------+
+---+------------------+
| g | avg(iv)          |
+---+------------------+
| 0 | 29 days          |
| 1 | 30 days 12 hours |
+---+------------------+
+---+------------------+
| a | m                |
+---+------------------+
| 1 | 1 mons           |
| 2 | 29 days 12 hours |
| 3 | 30 days          |
| 4 | 31 days          |
+---+------------------+

