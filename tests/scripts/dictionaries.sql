-- ids of texts in place of the texts
CREATE TABLE metric (name TEXT, host VARCHAR(20) NULL, ts TIMESTAMP(0), v DOUBLE, PRIMARY KEY (dict(name), dict(host), ts));
SHOW CREATE TABLE metric;
INSERT INTO metric VALUES ('cpu.user', 'web-1', '2024-01-01 10:00', 1), ('cpu.user', 'web-2', '2024-01-01 10:00', 2), ('cpu.sys', 'web-1', '2024-01-01 10:00', 3), ('mem', NULL, '2024-01-01 11:00', 4);
SELECT * FROM metric;
SELECT * FROM keys('metric');
SELECT name, count(*) FROM metric GROUP BY name ORDER BY name;
SELECT DISTINCT host FROM metric ORDER BY host;
SELECT max(ts), count(DISTINCT host) FROM metric WHERE name = 'cpu.user';
---
CREATE TABLE
+--------+----------------------------------------------+
| table  | statement                                    |
+--------+----------------------------------------------+
| metric | CREATE TABLE metric (                        |
|        |     name TEXT NOT NULL,                      |
|        |     host VARCHAR(20) NULL,                   |
|        |     ts TIMESTAMP(0) NOT NULL,                |
|        |     v DOUBLE,                                |
|        |     PRIMARY KEY (dict(name), dict(host), ts) |
|        | )                                            |
+--------+----------------------------------------------+
INSERT 4
+----------+-------+---------------------+-----+
| name     | host  | ts                  | v   |
+----------+-------+---------------------+-----+
| cpu.user | web-1 | 2024-01-01T10:00:00 | 1.0 |
| cpu.user | web-2 | 2024-01-01T10:00:00 | 2.0 |
| cpu.sys  | web-1 | 2024-01-01T10:00:00 | 3.0 |
| mem      |       | 2024-01-01T11:00:00 | 4.0 |
+----------+-------+---------------------+-----+
+------------+------------+---------------------+------------------------------------+
| dict(name) | dict(host) | ts                  | row_key                            |
+------------+------------+---------------------+------------------------------------+
| 1          | 1          | 2024-01-01T10:00:00 | 0000000101000000018000000065928d20 |
| 1          | 2          | 2024-01-01T10:00:00 | 0000000101000000028000000065928d20 |
| 2          | 1          | 2024-01-01T10:00:00 | 0000000201000000018000000065928d20 |
| 3          |            | 2024-01-01T11:00:00 | 00000003028000000065929b30         |
+------------+------------+---------------------+------------------------------------+
+----------+----------+
| name     | count(*) |
+----------+----------+
| cpu.sys  | 1        |
| cpu.user | 2        |
| mem      | 1        |
+----------+----------+
+-------+
| host  |
+-------+
| web-1 |
| web-2 |
|       |
+-------+
+---------------------+----------------------+
| max(ts)             | count(DISTINCT host) |
+---------------------+----------------------+
| 2024-01-01T10:00:00 | 2                    |
+---------------------+----------------------+

-- equalities are points, prefixes and ranges too, and of what the dictionary has not nothing is read
EXPLAIN KEYS SELECT * FROM metric WHERE name = 'cpu.user' AND host IN ('web-1', 'web-7', 'web-2');
EXPLAIN KEYS SELECT * FROM metric WHERE name = 'cpu.user' AND host IS NULL;
EXPLAIN KEYS SELECT * FROM metric WHERE name = 'disk';
EXPLAIN KEYS SELECT * FROM metric WHERE name LIKE 'cpu%' AND ts >= TIMESTAMP '2024-01-01 10:00';
EXPLAIN KEYS SELECT * FROM metric WHERE name <> 'cpu.sys';
EXPLAIN KEYS SELECT * FROM metric WHERE name LIKE '%sys';
EXPLAIN KEYS SELECT * FROM keys('metric') WHERE "dict(name)" = 2;
SELECT v FROM metric WHERE name LIKE 'cpu%' AND host = 'web-1' ORDER BY v;
SELECT v FROM metric WHERE name > 'cpu.t' ORDER BY v;
SELECT v FROM metric WHERE name NOT IN ('cpu.user') ORDER BY v;
SELECT a.v, b.v FROM metric AS a JOIN metric AS b ON a.name = b.name AND a.host < b.host;
---
metric range /cpu.user/web-1/* .. /cpu.user/web-2/*  000000010100000001..000000010100000003  tight
metric range /cpu.user/NULL/*  0000000102..0000000103  tight
metric empty   ..  tight
metric walk /{cpu.user, cpu.sys}/*/2024-01-01T10:00:00..*  00000001..00000003  tight
metric range /cpu.user/*  00000001..00000002  tight
metric range /mem/*  00000003..00000004  tight
metric full /*  ..  residual: name LIKE '%sys' (of reverse(name) the row key has only dict(name))
metric range /2/*  00000002..00000003  tight
+-----+
| v   |
+-----+
| 1.0 |
| 3.0 |
+-----+
+-----+
| v   |
+-----+
| 1.0 |
| 2.0 |
| 4.0 |
+-----+
+-----+
| v   |
+-----+
| 3.0 |
| 4.0 |
+-----+
+-----+-----+
| v   | v   |
+-----+-----+
| 1.0 | 2.0 |
+-----+-----+

-- rows are changed as others are
UPDATE metric SET host = 'web-9' WHERE host = 'web-2' RETURNING name, host;
REPLACE INTO metric VALUES ('cpu.sys', 'web-1', '2024-01-01 10:00', 30);
INSERT INTO metric VALUES ('cpu.sys', 'web-1', '2024-01-01 10:00', 1), ('new', 'web-1', '2024-01-01', 5) ON CONFLICT DO UPDATE SET v = excluded.v + metric.v;
INSERT INTO metric VALUES ('cpu.sys', 'web-1', '2024-01-01 10:00', 1);
DELETE FROM metric WHERE name = 'mem';
SELECT * FROM metric ORDER BY name, host;
SELECT * FROM keys('metric');
COPY (SELECT 'disk' AS name, 'db-' || i AS host, TIMESTAMP '2024-01-01' AS ts, 50.0 + i AS v FROM generate_series(1, 3) AS i) TO 'DIRECTORY/metric.csv' (FORMAT csv, HEADER);
COPY metric FROM 'DIRECTORY/metric.csv' (FORMAT csv, HEADER);
SELECT name, host FROM metric WHERE v > 50;
---
+----------+-------+
| name     | host  |
+----------+-------+
| cpu.user | web-9 |
+----------+-------+
INSERT 1
INSERT 2
error: Conflict, table `metric`, constraint `PRIMARY KEY`: row 1: table `metric`: a row with (name = 'cpu.sys', host = 'web-1', ts = 2024-01-01T10:00:00) is there already, under the row key /cpu.sys/web-1/2024-01-01T10:00:00
DELETE 1
+----------+-------+---------------------+------+
| name     | host  | ts                  | v    |
+----------+-------+---------------------+------+
| cpu.sys  | web-1 | 2024-01-01T10:00:00 | 31.0 |
| cpu.user | web-1 | 2024-01-01T10:00:00 | 1.0  |
| cpu.user | web-9 | 2024-01-01T10:00:00 | 2.0  |
| new      | web-1 | 2024-01-01T00:00:00 | 5.0  |
+----------+-------+---------------------+------+
+------------+------------+---------------------+------------------------------------+
| dict(name) | dict(host) | ts                  | row_key                            |
+------------+------------+---------------------+------------------------------------+
| 1          | 1          | 2024-01-01T10:00:00 | 0000000101000000018000000065928d20 |
| 1          | 3          | 2024-01-01T10:00:00 | 0000000101000000038000000065928d20 |
| 2          | 1          | 2024-01-01T10:00:00 | 0000000201000000018000000065928d20 |
| 4          | 1          | 2024-01-01T00:00:00 | 0000000401000000018000000065920080 |
+------------+------------+---------------------+------------------------------------+
COPY 3
COPY 3
+------+------+
| name | host |
+------+------+
| disk | db-1 |
| disk | db-2 |
| disk | db-3 |
+------+------+

-- prepared: what comes into the dictionary is found by the next run
PREPARE p AS SELECT v FROM metric WHERE name = $1 AND host = $2 AND ts = $3;
EXECUTE p('later', 'h', TIMESTAMP '2024-01-01');
INSERT INTO metric VALUES ('later', 'h', '2024-01-01', 6);
EXECUTE p('later', 'h', TIMESTAMP '2024-01-01');
PREPARE u AS UPDATE metric SET v = v + 1 WHERE name = $1 AND host = $2 AND ts = $3;
EXECUTE u('latest', 'h', TIMESTAMP '2024-01-01');
EXECUTE u('later', 'h', TIMESTAMP '2024-01-01');
EXECUTE p('later', 'h', TIMESTAMP '2024-01-01');
---
PREPARE
++
++
INSERT 1
+-----+
| v   |
+-----+
| 6.0 |
+-----+
PREPARE
UPDATE 0
UPDATE 1
+-----+
| v   |
+-----+
| 7.0 |
+-----+

-- tables are changed, copied and emptied with their dictionaries
ALTER TABLE metric RENAME COLUMN name TO metric_name;
ALTER TABLE metric RENAME TO measured;
INSERT INTO measured VALUES ('renamed', 'web-1', '2024-01-01', 7);
SELECT count(*) FROM measured WHERE metric_name LIKE '%e%';
CREATE TABLE copied (LIKE measured);
INSERT INTO copied SELECT * FROM measured WHERE host = 'web-1';
SELECT * FROM keys('copied');
CREATE TABLE made (PRIMARY KEY (dict(metric_name), v)) AS SELECT metric_name, v FROM measured;
SELECT count(*), count(DISTINCT "dict(metric_name)") FROM keys('made');
TRUNCATE measured;
INSERT INTO measured VALUES ('again', 'web-1', '2024-01-01', 8);
SELECT * FROM keys('measured');
DROP TABLE copied;
SELECT count(*) FROM made WHERE metric_name = 'renamed';
---
ALTER TABLE
ALTER TABLE
INSERT 1
+----------+
| count(*) |
+----------+
| 5        |
+----------+
CREATE TABLE
INSERT 4
+-------------------+------------+---------------------+------------------------------------+
| dict(metric_name) | dict(host) | ts                  | row_key                            |
+-------------------+------------+---------------------+------------------------------------+
| 1                 | 1          | 2024-01-01T10:00:00 | 0000000101000000018000000065928d20 |
| 2                 | 1          | 2024-01-01T10:00:00 | 0000000201000000018000000065928d20 |
| 3                 | 1          | 2024-01-01T00:00:00 | 0000000301000000018000000065920080 |
| 4                 | 1          | 2024-01-01T00:00:00 | 0000000401000000018000000065920080 |
+-------------------+------------+---------------------+------------------------------------+
CREATE TABLE 9
+----------+-------------------------------------+
| count(*) | count(DISTINCT "dict(metric_name)") |
+----------+-------------------------------------+
| 9        | 6                                   |
+----------+-------------------------------------+
TRUNCATE
INSERT 1
+-------------------+------------+---------------------+------------------------------------+
| dict(metric_name) | dict(host) | ts                  | row_key                            |
+-------------------+------------+---------------------+------------------------------------+
| 1                 | 1          | 2024-01-01T00:00:00 | 0000000101000000018000000065920080 |
+-------------------+------------+---------------------+------------------------------------+
DROP TABLE
+----------+
| count(*) |
+----------+
| 1        |
+----------+

-- what cannot be
CREATE TABLE number (a INT, PRIMARY KEY (dict(a)));
CREATE TABLE padded (a CHAR(3), PRIMARY KEY (dict(a)));
CREATE TABLE two (a TEXT, b TEXT, PRIMARY KEY (dict(a, b)));
CREATE TABLE shared (a TEXT, PRIMARY KEY (dict(a), 'x')) WITH (keyspace = 'shop');
---
error: InvalidInput, table `number`: table `number`: key part `dict(a)`: dict takes a column of TEXT or VARCHAR; `a` is INT
error: InvalidInput, table `padded`
error: InvalidInput, table `two`
error: NotSupported, table `shared`: table `shared`: dict(c) in a key space, whose tables share one run of keys: each table has a dictionary of its own

