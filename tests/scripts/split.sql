-- where a table is kept apart, as it is shown
CREATE TABLE t (a TEXT, b BIGINT, c TEXT, PRIMARY KEY (a, b)) WITH (families = 'f(c)') SPLIT ('m', ('b', -5));
SHOW CREATE TABLE t;
CREATE TABLE n (b BIGINT, PRIMARY KEY (b)) SPLIT (100, 200, 300);
INSERT INTO n SELECT i FROM generate_series(1, 400) AS i;
SHOW CREATE TABLE n;
---
CREATE TABLE
+-------+---------------------------------------------------+
| table | statement                                         |
+-------+---------------------------------------------------+
| t     | CREATE TABLE t (                                  |
|       |     a TEXT NOT NULL,                              |
|       |     b BIGINT NOT NULL,                            |
|       |     c TEXT,                                       |
|       |     PRIMARY KEY (a, b)                            |
|       | ) SPLIT ('m', ('b', -5)) WITH (families = 'f(c)') |
+-------+---------------------------------------------------+
CREATE TABLE
INSERT 400
+-------+-------------------------+
| table | statement               |
+-------+-------------------------+
| n     | CREATE TABLE n (        |
|       |     b BIGINT NOT NULL,  |
|       |     PRIMARY KEY (b)     |
|       | ) SPLIT (100, 200, 300) |
+-------+-------------------------+

-- a scan is cut there, in as many pieces as there are partitions; where order is wanted it is not
SET datafusion.execution.target_partitions = 4;
EXPLAIN SELECT sum(b) FROM n;
EXPLAIN SELECT sum(b) FROM n WHERE b > 150;
EXPLAIN SELECT b FROM n ORDER BY b LIMIT 3;
SET datafusion.execution.target_partitions = 2;
EXPLAIN SELECT sum(b) FROM n;
SELECT count(*), sum(b), min(b), max(b) FROM n;
SELECT b FROM n WHERE b BETWEEN 99 AND 101 OR b > 399 ORDER BY b;
---
SET
+---------------+---------------------------------------------------------------------------+
| plan_type     | plan                                                                      |
+---------------+---------------------------------------------------------------------------+
| logical_plan  | Projection: sum(n.b) AS sum(b)                                            |
|               |   Aggregate: groupBy=[[]], aggr=[[sum(n.b)]]                              |
|               |     TableScan: n projection=[b]                                           |
| physical_plan | ProjectionExec: expr=[sum(n.b)@0 as sum(b)]                               |
|               |   AggregateExec: mode=Final, gby=[], aggr=[sum(n.b)]                      |
|               |     CoalescePartitionsExec                                                |
|               |       AggregateExec: mode=Partial, gby=[], aggr=[sum(n.b)]                |
|               |         ScanExec: table=n, ranges=1, pieces=4, order=none, projection=[b] |
|               |                                                                           |
+---------------+---------------------------------------------------------------------------+
+---------------+---------------------------------------------------------------------------+
| plan_type     | plan                                                                      |
+---------------+---------------------------------------------------------------------------+
| logical_plan  | Projection: sum(n.b) AS sum(b)                                            |
|               |   Aggregate: groupBy=[[]], aggr=[[sum(n.b)]]                              |
|               |     TableScan: n projection=[b], full_filters=[n.b > Int64(150)]          |
| physical_plan | ProjectionExec: expr=[sum(n.b)@0 as sum(b)]                               |
|               |   AggregateExec: mode=Final, gby=[], aggr=[sum(n.b)]                      |
|               |     CoalescePartitionsExec                                                |
|               |       AggregateExec: mode=Partial, gby=[], aggr=[sum(n.b)]                |
|               |         ScanExec: table=n, ranges=1, pieces=3, order=none, projection=[b] |
|               |                                                                           |
+---------------+---------------------------------------------------------------------------+
+---------------+---------------------------------------------------------------------+
| plan_type     | plan                                                                |
+---------------+---------------------------------------------------------------------+
| logical_plan  | Sort: n.b ASC NULLS LAST, fetch=3                                   |
|               |   TableScan: n projection=[b]                                       |
| physical_plan | ScanExec: table=n, ranges=1, order=forward, limit=3, projection=[b] |
|               |                                                                     |
+---------------+---------------------------------------------------------------------+
SET
+---------------+---------------------------------------------------------------------------+
| plan_type     | plan                                                                      |
+---------------+---------------------------------------------------------------------------+
| logical_plan  | Projection: sum(n.b) AS sum(b)                                            |
|               |   Aggregate: groupBy=[[]], aggr=[[sum(n.b)]]                              |
|               |     TableScan: n projection=[b]                                           |
| physical_plan | ProjectionExec: expr=[sum(n.b)@0 as sum(b)]                               |
|               |   AggregateExec: mode=Final, gby=[], aggr=[sum(n.b)]                      |
|               |     CoalescePartitionsExec                                                |
|               |       AggregateExec: mode=Partial, gby=[], aggr=[sum(n.b)]                |
|               |         ScanExec: table=n, ranges=1, pieces=2, order=none, projection=[b] |
|               |                                                                           |
+---------------+---------------------------------------------------------------------------+
+----------+--------+--------+--------+
| count(*) | sum(b) | min(b) | max(b) |
+----------+--------+--------+--------+
| 400      | 80200  | 1      | 400    |
+----------+--------+--------+--------+
+-----+
| b   |
+-----+
| 99  |
| 100 |
| 101 |
| 400 |
+-----+

-- what ranges there are does not depend on it
EXPLAIN KEYS SELECT * FROM n WHERE b BETWEEN 99 AND 301;
SET halite.explain_regions = true;
EXPLAIN KEYS SELECT * FROM n WHERE b = 5;
RESET halite.explain_regions;
---
n range /99 .. /301  8000000000000063..800000000000012e  tight
SET
n point /5  8000000000000005..8000000000000006  tight
RESET

-- what is wrong
CREATE TABLE x (a TEXT, PRIMARY KEY (a)) SPLIT (5);
CREATE TABLE x (a TEXT, PRIMARY KEY (a)) SPLIT (NULL);
CREATE TABLE x (a BIGINT, PRIMARY KEY (a)) SPLIT ('b');
CREATE TABLE x (a BIGINT, PRIMARY KEY (a)) SPLIT (1, 2, 1);
CREATE TABLE x (a BIGINT, PRIMARY KEY (a)) SPLIT ((1, 2));
CREATE TABLE x (a BIGINT, PRIMARY KEY (a)) SPLIT (a);
CREATE TABLE x (a BIGINT) SPLIT (1);
CREATE TABLE x (a TEXT, PRIMARY KEY (hash(a), a)) SPLIT ('a');
CREATE TABLE x (a TEXT, b TEXT, PRIMARY KEY (dict(a), b)) SPLIT ('a');
CREATE TABLE x (a TEXT, PRIMARY KEY ('x', a)) WITH (keyspace = 's') SPLIT ('a');
SHOW TABLES;
---
error: InvalidInput, table `x`, column `a`: table `x`: SPLIT: column `a` of type TEXT: 5 is no value of this type
error: InvalidInput, table `x`, column `a`
error: InvalidInput, table `x`, column `a`
error: InvalidInput, table `x`
error: InvalidInput, table `x`
error: InvalidInput, table `x`, column `a`
error: InvalidInput, table `x`
error: NotSupported, table `x`: table `x`: SPLIT: ('a'): key part hash(a) is a hash, and no value of a column says where it divides the rows: leave SPLIT out, and let bucket(n, …) be the first part, each bucket of which is a part of its own
error: NotSupported, table `x`
error: InvalidInput, table `x`
+-------+
| table |
+-------+
| n     |
| t     |
+-------+

-- what is no clause
CREATE TABLE x (a BIGINT, PRIMARY KEY (a)) SPLIT ();
---
error: InvalidInput

-- what is none a second time
CREATE TABLE x (a BIGINT, PRIMARY KEY (a)) SPLIT (1) SPLIT (2);
---
error: InvalidInput

-- others keep it
CREATE TABLE like_n LIKE n;
SHOW CREATE TABLE like_n;
ALTER TABLE like_n RENAME COLUMN b TO c;
ALTER TABLE like_n ADD COLUMN d INT;
TRUNCATE TABLE like_n;
SHOW CREATE TABLE like_n;
CREATE TABLE made (k INT, PRIMARY KEY (salt(2), k)) SPLIT (7) AS SELECT b AS k FROM n WHERE b < 10;
SHOW CREATE TABLE made;
SELECT count(*) FROM made;
---
CREATE TABLE
+--------+-------------------------+
| table  | statement               |
+--------+-------------------------+
| like_n | CREATE TABLE like_n (   |
|        |     b BIGINT NOT NULL,  |
|        |     PRIMARY KEY (b)     |
|        | ) SPLIT (100, 200, 300) |
+--------+-------------------------+
ALTER TABLE
ALTER TABLE
TRUNCATE
+--------+-------------------------+
| table  | statement               |
+--------+-------------------------+
| like_n | CREATE TABLE like_n (   |
|        |     c BIGINT NOT NULL,  |
|        |     d INT,              |
|        |     PRIMARY KEY (c)     |
|        | ) SPLIT (100, 200, 300) |
+--------+-------------------------+
CREATE TABLE 9
+-------+------------------------------+
| table | statement                    |
+-------+------------------------------+
| made  | CREATE TABLE made (          |
|       |     k INT NOT NULL,          |
|       |     PRIMARY KEY (salt(2), k) |
|       | ) SPLIT (7)                  |
+-------+------------------------------+
+----------+
| count(*) |
+----------+
| 9        |
+----------+

