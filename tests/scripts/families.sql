-- columns that are kept apart
CREATE TABLE m (host TEXT, ts TIMESTAMP(3), cpu DOUBLE, mem DOUBLE, payload TEXT, note TEXT, PRIMARY KEY (salt(2), host, ts)) WITH (families = 'm(cpu, mem) raw(payload)');
SHOW CREATE TABLE m;
INSERT INTO m SELECT 'h' || i % 3, TIMESTAMP '2024-01-01' + i * INTERVAL '1 second', i, i * 2, repeat('x', i), CASE WHEN i % 2 = 0 THEN 'n' END FROM generate_series(1, 12) AS i;
SELECT count(*), sum(cpu), sum(mem), sum(length(payload)), count(note) FROM m;
SELECT * FROM m WHERE host = 'h1' ORDER BY ts DESC LIMIT 2;
SELECT payload FROM m WHERE mem = 6;
---
CREATE TABLE
+-------+------------------------------------------------+
| table | statement                                      |
+-------+------------------------------------------------+
| m     | CREATE TABLE m (                               |
|       |     host TEXT NOT NULL,                        |
|       |     ts TIMESTAMP(3) NOT NULL,                  |
|       |     cpu DOUBLE,                                |
|       |     mem DOUBLE,                                |
|       |     payload TEXT,                              |
|       |     note TEXT,                                 |
|       |     PRIMARY KEY (salt(2), host, ts)            |
|       | ) WITH (families = 'm(cpu, mem) raw(payload)') |
+-------+------------------------------------------------+
INSERT 12
+----------+----------+----------+----------------------+-------------+
| count(*) | sum(cpu) | sum(mem) | sum(length(payload)) | count(note) |
+----------+----------+----------+----------------------+-------------+
| 12       | 78.0     | 156.0    | 78                   | 6           |
+----------+----------+----------+----------------------+-------------+
+------+---------------------+------+------+------------+------+
| host | ts                  | cpu  | mem  | payload    | note |
+------+---------------------+------+------+------------+------+
| h1   | 2024-01-01T00:00:10 | 10.0 | 20.0 | xxxxxxxxxx | n    |
| h1   | 2024-01-01T00:00:07 | 7.0  | 14.0 | xxxxxxx    |      |
+------+---------------------+------+------+------------+------+
+---------+
| payload |
+---------+
| xxx     |
+---------+

-- who reads some of them reads their families
EXPLAIN SELECT sum(cpu) FROM m;
EXPLAIN SELECT payload FROM m WHERE host = 'h1' AND mem > 4;
EXPLAIN SELECT note FROM m WHERE cpu > 4;
EXPLAIN SELECT count(*) FROM m;
EXPLAIN SELECT host, ts FROM m WHERE host = 'h2';
---
+---------------+--------------------------------------------------------------------------------------------+
| plan_type     | plan                                                                                       |
+---------------+--------------------------------------------------------------------------------------------+
| logical_plan  | Projection: sum(m.cpu) AS sum(cpu)                                                         |
|               |   Aggregate: groupBy=[[]], aggr=[[sum(m.cpu)]]                                             |
|               |     TableScan: m projection=[cpu]                                                          |
| physical_plan | ProjectionExec: expr=[sum(m.cpu)@0 as sum(cpu)]                                            |
|               |   AggregateExec: mode=Final, gby=[], aggr=[sum(m.cpu)]                                     |
|               |     CoalescePartitionsExec                                                                 |
|               |       AggregateExec: mode=Partial, gby=[], aggr=[sum(m.cpu)]                               |
|               |         ScanExec: table=m, ranges=2, buckets=2, order=none, families=[m], projection=[cpu] |
|               |                                                                                            |
+---------------+--------------------------------------------------------------------------------------------+
+---------------+-------------------------------------------------------------------------------------------------------------------+
| plan_type     | plan                                                                                                              |
+---------------+-------------------------------------------------------------------------------------------------------------------+
| logical_plan  | TableScan: m projection=[payload], full_filters=[m.host = Utf8("h1"), m.mem > Float64(4)]                         |
| physical_plan | ScanExec: table=m, ranges=2, buckets=2, order=none, residual=[mem@3 > 4], families=[m, raw], projection=[payload] |
|               |                                                                                                                   |
+---------------+-------------------------------------------------------------------------------------------------------------------+
+---------------+-----------------------------------------------------------------------------------------------------------------+
| plan_type     | plan                                                                                                            |
+---------------+-----------------------------------------------------------------------------------------------------------------+
| logical_plan  | TableScan: m projection=[note], full_filters=[m.cpu > Float64(4)]                                               |
| physical_plan | ScanExec: table=m, ranges=2, buckets=2, order=none, residual=[cpu@2 > 4], families=[rest, m], projection=[note] |
|               |                                                                                                                 |
+---------------+-----------------------------------------------------------------------------------------------------------------+
+---------------+--------------------------------------------------------------------------------------------+
| plan_type     | plan                                                                                       |
+---------------+--------------------------------------------------------------------------------------------+
| logical_plan  | Projection: count(Int64(1)) AS count(*)                                                    |
|               |   Aggregate: groupBy=[[]], aggr=[[count(Int64(1))]]                                        |
|               |     TableScan: m projection=[]                                                             |
| physical_plan | ProjectionExec: expr=[count(Int64(1))@0 as count(*)]                                       |
|               |   AggregateExec: mode=Final, gby=[], aggr=[count(Int64(1))]                                |
|               |     CoalescePartitionsExec                                                                 |
|               |       AggregateExec: mode=Partial, gby=[], aggr=[count(Int64(1))]                          |
|               |         ScanExec: table=m, ranges=2, buckets=2, order=none, families=[rest], projection=[] |
|               |                                                                                            |
+---------------+--------------------------------------------------------------------------------------------+
+---------------+--------------------------------------------------------------------------------------------+
| plan_type     | plan                                                                                       |
+---------------+--------------------------------------------------------------------------------------------+
| logical_plan  | TableScan: m projection=[host, ts], full_filters=[m.host = Utf8("h2")]                     |
| physical_plan | ScanExec: table=m, ranges=2, buckets=2, order=none, families=[rest], projection=[host, ts] |
|               |                                                                                            |
+---------------+--------------------------------------------------------------------------------------------+

-- a row is changed in all of them
UPDATE m SET payload = 'changed', note = NULL WHERE host = 'h1' AND cpu < 5 RETURNING host, cpu, payload, note;
DELETE FROM m WHERE host = 'h2';
INSERT OR REPLACE INTO m VALUES ('h1', '2024-01-01 00:00:01', -1, -2, NULL, 'new');
INSERT INTO m VALUES ('h1', '2024-01-01 00:00:01', 0, 0, 'other', NULL) ON CONFLICT DO UPDATE SET cpu = m.cpu + 10 RETURNING cpu, mem, payload, note;
SELECT count(*), min(cpu), min(payload), count(note) FROM m;
---
+------+-----+---------+------+
| host | cpu | payload | note |
+------+-----+---------+------+
| h1   | 1.0 | changed |      |
| h1   | 4.0 | changed |      |
+------+-----+---------+------+
DELETE 4
INSERT 1
+-----+------+---------+------+
| cpu | mem  | payload | note |
+-----+------+---------+------+
| 9.0 | -2.0 |         | new  |
+-----+------+---------+------+
+----------+----------+--------------+-------------+
| count(*) | min(cpu) | min(payload) | count(note) |
+----------+----------+--------------+-------------+
| 8        | 3.0      | changed      | 4           |
+----------+----------+--------------+-------------+

INSERT INTO m VALUES ('h1', '2024-01-01 00:00:01', 0, 0, 'other', NULL);
---
error: Conflict, table `m`, constraint `PRIMARY KEY`: row 1: table `m`: a row with (host = 'h1', ts = 2024-01-01T00:00:01.000) is there already, under the row key /1/h1/2024-01-01T00:00:01.000

-- columns come and go
ALTER TABLE m DROP COLUMN mem;
ALTER TABLE m ADD COLUMN more INT DEFAULT 5;
ALTER TABLE m RENAME COLUMN payload TO body;
SHOW CREATE TABLE m;
SELECT max(more), max(body), sum(cpu) FROM m;
CREATE TABLE n (LIKE m);
CREATE TABLE LIKE_m LIKE m;
---
ALTER TABLE
ALTER TABLE
ALTER TABLE
+-------+----------------------------------------+
| table | statement                              |
+-------+----------------------------------------+
| m     | CREATE TABLE m (                       |
|       |     host TEXT NOT NULL,                |
|       |     ts TIMESTAMP(3) NOT NULL,          |
|       |     cpu DOUBLE,                        |
|       |     body TEXT,                         |
|       |     note TEXT,                         |
|       |     more INT DEFAULT 5,                |
|       |     PRIMARY KEY (salt(2), host, ts)    |
|       | ) WITH (families = 'm(cpu) raw(body)') |
+-------+----------------------------------------+
+-----------+--------------+----------+
| max(more) | max(body)    | sum(cpu) |
+-----------+--------------+----------+
| 5         | xxxxxxxxxxxx | 60.0     |
+-----------+--------------+----------+
CREATE TABLE
CREATE TABLE

CREATE TABLE copy LIKE m;
INSERT INTO copy SELECT * FROM m;
SELECT count(*), sum(cpu) FROM copy;
TRUNCATE copy;
SELECT count(*) FROM copy;
DROP TABLE copy;
ALTER TABLE m RENAME TO moved;
SELECT count(*) FROM moved;
DROP TABLE moved;
SHOW TABLES;
---
CREATE TABLE
INSERT 8
+----------+----------+
| count(*) | sum(cpu) |
+----------+----------+
| 8        | 60.0     |
+----------+----------+
TRUNCATE
+----------+
| count(*) |
+----------+
| 0        |
+----------+
DROP TABLE
ALTER TABLE
+----------+
| count(*) |
+----------+
| 8        |
+----------+
DROP TABLE
+--------+
| table  |
+--------+
| like_m |
| n      |
+--------+

-- what is wrong is told
CREATE TABLE w (a INT PRIMARY KEY, b INT) WITH (families = 'f(c)');
---
error: InvalidInput, table `w`, column `c`: table `w`: family `f`: there is no column `c`

CREATE TABLE w (a INT PRIMARY KEY, b INT) WITH (families = 'f(a)');
---
error: InvalidInput, table `w`, column `a`

CREATE TABLE w (a INT PRIMARY KEY, b INT) WITH (families = 'f(b) g(b)');
---
error: InvalidInput, table `w`, column `b`

CREATE TABLE w (a INT PRIMARY KEY, b INT) WITH (families = 'f(b) f()');
---
error: InvalidInput, table `w`

CREATE TABLE w (a INT PRIMARY KEY, b INT) WITH (families = 'f b');
---
error: InvalidInput, table `w`

CREATE TABLE w (a INT PRIMARY KEY, b INT) WITH (families = 5);
---
error: InvalidInput, table `w`

CREATE TABLE w (a INT PRIMARY KEY, b INT) WITH (families = 'f(b)', families = 'f(b)');
---
error: InvalidInput, table `w`

CREATE TABLE w (a INT, b INT, PRIMARY KEY (a, 'w')) WITH (families = 'f(b)', keyspace = 'x');
---
error: NotSupported, table `w`: table `w`: families in a key space, whose tables share one run of keys

