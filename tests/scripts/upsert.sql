CREATE TABLE t (a INT, b INT NULL, c TEXT NULL, PRIMARY KEY (a));
INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y');
---
CREATE TABLE
INSERT 2

INSERT INTO t VALUES (1, 0, 'no'), (3, 30, 'z'), (3, 31, 'no') ON CONFLICT DO NOTHING;
INSERT OR IGNORE INTO t VALUES (1, 0, 'no');
SELECT * FROM t;
---
INSERT 1
INSERT 0
+---+----+---+
| a | b  | c |
+---+----+---+
| 1 | 10 | x |
| 2 | 20 | y |
| 3 | 30 | z |
+---+----+---+

INSERT INTO t VALUES (1, 5, 'one'), (4, 40, 'four') ON CONFLICT (a) DO UPDATE SET b = b + excluded.b, c = t.c || '+' || excluded.c;
SELECT * FROM t;
---
INSERT 2
+---+----+-------+
| a | b  | c     |
+---+----+-------+
| 1 | 15 | x+one |
| 2 | 20 | y     |
| 3 | 30 | z     |
| 4 | 40 | four  |
+---+----+-------+

INSERT INTO t (a, b) VALUES (1, 100), (2, 1), (5, 50) ON CONFLICT DO UPDATE SET b = excluded.b, c = NULL WHERE excluded.b > t.b RETURNING a, b, c;
INSERT INTO t (a, b) SELECT a, 1000 FROM t WHERE a < 3 ON CONFLICT DO UPDATE SET (b, c) = (excluded.b, upper(c));
SELECT * FROM t;
---
+---+-----+---+
| a | b   | c |
+---+-----+---+
| 1 | 100 |   |
| 5 | 50  |   |
+---+-----+---+
INSERT 2
+---+------+------+
| a | b    | c    |
+---+------+------+
| 1 | 1000 |      |
| 2 | 1000 | Y    |
| 3 | 30   | z    |
| 4 | 40   | four |
| 5 | 50   |      |
+---+------+------+

INSERT INTO t (a, b) VALUES (1, 1), (2, 2), (1, 3) ON CONFLICT DO UPDATE SET b = excluded.b;
INSERT INTO t (a, b) VALUES (7, 1), (8, 2), (7, 3) ON CONFLICT DO UPDATE SET b = excluded.b;
INSERT INTO t (a, b) VALUES (1, 1) ON CONFLICT (b) DO UPDATE SET b = excluded.b;
INSERT INTO t (a, b) VALUES (1, 1) ON CONFLICT ON CONSTRAINT t_pkey DO NOTHING;
INSERT INTO t (a, b) VALUES (1, 1) ON DUPLICATE KEY UPDATE b = 1;
INSERT INTO t (a, b) VALUES (1, 1) ON CONFLICT DO UPDATE SET d = 1;
INSERT INTO t (a, b) VALUES (1, 1) ON CONFLICT DO UPDATE SET a = 2;
INSERT INTO t (a, b) VALUES (1, 1) ON CONFLICT DO UPDATE SET b = 1 / (b - t.b);
INSERT INTO t (a, b) VALUES (9, 1) ON CONFLICT DO UPDATE SET b = 1 / (excluded.b - 1);
INSERT OR REPLACE INTO t (a, b) VALUES (1, 1) ON CONFLICT DO NOTHING;
INSERT INTO t VALUES (NULL, 1, 'x') ON CONFLICT DO NOTHING;
INSERT INTO t VALUES (1, 'ten', 'x') ON CONFLICT DO NOTHING;
SELECT * FROM t;
---
error: InvalidInput, table `t`: table `t`: the rows 1 and 3 of the statement have the same row key, /1, and ON CONFLICT DO UPDATE changes a row once; group them before
error: InvalidInput, table `t`
error: InvalidInput, table `t`
error: NotSupported: ON CONFLICT ON CONSTRAINT t_pkey is not implemented; a table has one key: leave it out
error: NotSupported: ON DUPLICATE KEY UPDATE
error: InvalidInput, table `t`, column `d`
error: Conflict, table `t`, constraint `PRIMARY KEY`: table `t`: two rows would be under the row key /2: the stored row (a = 2) and the row that was under /1, now (a = 2)
error: InvalidInput
INSERT 1
error: NotSupported: REPLACE with ON CONFLICT
error: InvalidInput, table `t`, column `a`, constraint `NOT NULL`
error: InvalidInput, table `t`, column `b`
+---+------+------+
| a | b    | c    |
+---+------+------+
| 1 | 1000 |      |
| 2 | 1000 | Y    |
| 3 | 30   | z    |
| 4 | 40   | four |
| 5 | 50   |      |
| 9 | 1    |      |
+---+------+------+

INSERT INTO t (b, a) VALUES (60, 6), (61, 16) RETURNING *, a + b AS sum, upper(c);
INSERT OR REPLACE INTO t (a, b) VALUES (6, 600) RETURNING t.b, t.a;
INSERT INTO t SELECT a + 100, b, c FROM t WHERE a > 5 RETURNING a;
INSERT INTO t (a) VALUES (6) RETURNING a;
INSERT INTO t (a) VALUES (77) RETURNING count(*);
INSERT INTO t (a, b) VALUES (6, 1), (77, 7) ON CONFLICT DO NOTHING RETURNING a, b;
SELECT a, b FROM t WHERE a > 5;
---
+----+----+---+-----+----------+
| a  | b  | c | sum | upper(c) |
+----+----+---+-----+----------+
| 6  | 60 |   | 66  |          |
| 16 | 61 |   | 77  |          |
+----+----+---+-----+----------+
+-----+---+
| b   | a |
+-----+---+
| 600 | 6 |
+-----+---+
+-----+
| a   |
+-----+
| 106 |
| 109 |
| 116 |
+-----+
error: Conflict, table `t`, constraint `PRIMARY KEY`
error: NotSupported
+----+---+
| a  | b |
+----+---+
| 77 | 7 |
+----+---+
+-----+-----+
| a   | b   |
+-----+-----+
| 6   | 600 |
| 9   | 1   |
| 16  | 61  |
| 77  | 7   |
| 106 | 600 |
| 109 | 1   |
| 116 | 61  |
+-----+-----+

PREPARE add AS INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT DO UPDATE SET b = b + excluded.b;
EXECUTE add(1, 7);
EXECUTE add(1, 8);
EXECUTE add(1000, 8);
SELECT a, b FROM t WHERE a IN (1, 1000);
---
PREPARE
INSERT 1
INSERT 1
INSERT 1
+------+------+
| a    | b    |
+------+------+
| 1    | 1015 |
| 1000 | 8    |
+------+------+

CREATE TABLE hours (host TEXT, ts TIMESTAMP(3), n INT, PRIMARY KEY (host, date_trunc('hour', ts)));
INSERT INTO hours VALUES ('a', '2024-01-01 00:10', 1) ON CONFLICT (ts, host) DO UPDATE SET n = n + 1;
INSERT INTO hours VALUES ('a', '2024-01-01 00:50', 1) ON CONFLICT (ts, host) DO UPDATE SET n = n + 1;
INSERT INTO hours VALUES ('a', '2024-01-01 00:55', 1) ON CONFLICT DO UPDATE SET ts = excluded.ts;
INSERT INTO hours VALUES ('a', '2024-01-01 00:59', 1) ON CONFLICT DO NOTHING;
SELECT * FROM hours;
---
warning: table `hours`: rows share a key `date_trunc('hour', ts)`: nothing in the key separates rows that differ in ts alone: one row is possible for each value of the part; add the column as the last part if there can be more
CREATE TABLE
INSERT 1
INSERT 1
INSERT 1
INSERT 0
+------+---------------------+---+
| host | ts                  | n |
+------+---------------------+---+
| a    | 2024-01-01T00:55:00 | 2 |
+------+---------------------+---+

CREATE TABLE hits (page TEXT, n INT, PRIMARY KEY (page));
INSERT INTO hits AS h VALUES ('/a', 1);
INSERT INTO hits AS h VALUES ('/a', 2) ON CONFLICT DO UPDATE SET n = h.n + excluded.n RETURNING h.page, h.n;
INSERT INTO public.hits AS h (n, page) VALUES (2, '/a') ON CONFLICT (page) DO UPDATE SET n = h.n * excluded.n WHERE h.n = 3;
INSERT INTO hits FROM (VALUES ('/b', 5));
SELECT * FROM hits;
---
CREATE TABLE
INSERT 1
+------+---+
| page | n |
+------+---+
| /a   | 3 |
+------+---+
INSERT 1
INSERT 1
+------+---+
| page | n |
+------+---+
| /a   | 6 |
| /b   | 5 |
+------+---+

PREPARE more AS UPDATE hits SET n = n + $1 WHERE page = $2;
EXECUTE more(1, '/a');
EXECUTE more(2147483647, '/a');
EXECUTE more(2147483648, '/a');
EXECUTE more(1.5, '/a');
EXECUTE more(-2147483655, '/a');
SELECT * FROM hits;
---
PREPARE
UPDATE 1
error: InvalidInput, table `hits`, column `n`
error: InvalidInput, table `hits`, column `n`
UPDATE 1
UPDATE 1
+------+-------------+
| page | n           |
+------+-------------+
| /a   | -2147483646 |
| /b   | 5           |
+------+-------------+

CREATE TABLE log (a INT, b TEXT);
INSERT INTO log VALUES (1, 'x'), (1, 'y') ON CONFLICT DO NOTHING;
INSERT OR IGNORE INTO log VALUES (1, 'x') RETURNING a, b;
INSERT INTO log VALUES (1, 'x') ON CONFLICT (a) DO NOTHING;
INSERT INTO log VALUES (1, 'x') ON CONFLICT DO UPDATE SET b = 'z';
MERGE INTO log AS l USING (VALUES (1, 'y'), (2, 'new')) AS s (a, b) ON s.a = l.a AND s.b = l.b
  WHEN MATCHED THEN UPDATE SET b = l.b || '!'
  WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.b)
  WHEN NOT MATCHED BY SOURCE THEN DELETE;
INSERT INTO log VALUES (3, 'last');
MERGE INTO log USING (VALUES (2)) AS s (x) ON s.x = log.a WHEN MATCHED THEN UPDATE SET b = upper(b) RETURNING log.*, x;
SELECT * FROM log;
---
warning: table `log`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE
INSERT 2
+---+---+
| a | b |
+---+---+
| 1 | x |
+---+---+
error: InvalidInput, table `log`
error: InvalidInput, table `log`
MERGE 4
INSERT 1
+---+-----+---+
| a | b   | x |
+---+-----+---+
| 2 | NEW | 2 |
+---+-----+---+
+---+------+
| a | b    |
+---+------+
| 1 | y!   |
| 2 | NEW  |
| 3 | last |
+---+------+

CREATE TABLE hashed (host TEXT, day INT, n INT, PRIMARY KEY (bucket(1, host), day));
INSERT INTO hashed VALUES ('a', 1, 10), ('a', 2, 2), ('a', 3, 4);
INSERT INTO hashed VALUES ('a', 4, 5), ('b', 1, 5) ON CONFLICT DO UPDATE SET n = excluded.n;
INSERT INTO hashed VALUES ('a', 4, 5), ('b', 1, 5) ON CONFLICT DO NOTHING;
INSERT INTO hashed VALUES ('a', 1, 5) ON CONFLICT DO NOTHING;
SELECT * FROM hashed;
---
CREATE TABLE
INSERT 3
error: Conflict, table `hashed`, constraint `PRIMARY KEY`
error: Conflict, table `hashed`, constraint `PRIMARY KEY`
INSERT 0
+------+-----+----+
| host | day | n  |
+------+-----+----+
| a    | 1   | 10 |
| a    | 2   | 2  |
| a    | 3   | 4  |
+------+-----+----+

INSERT INTO hashed VALUES ('a', 2, 0), ('a', 3, 5) ON CONFLICT DO UPDATE SET n = excluded.n WHERE hashed.n < excluded.n RETURNING day, 20 / n AS part;
INSERT INTO hashed VALUES ('a', 2, 0), ('a', 5, 10) ON CONFLICT DO NOTHING RETURNING day, 20 / n AS part;
MERGE INTO hashed AS t USING (VALUES ('a', 2, 0), ('a', 5, 40)) AS s (host, day, n) ON t.host = s.host AND t.day = s.day
  WHEN MATCHED AND s.n > t.n THEN UPDATE SET n = s.n RETURNING s.day, 20 / s.n AS part;
SELECT * FROM hashed;
---
+-----+------+
| day | part |
+-----+------+
| 3   | 4    |
+-----+------+
+-----+------+
| day | part |
+-----+------+
| 5   | 2    |
+-----+------+
+-----+------+
| day | part |
+-----+------+
| 5   | 0    |
+-----+------+
+------+-----+----+
| host | day | n  |
+------+-----+----+
| a    | 1   | 10 |
| a    | 2   | 2  |
| a    | 3   | 5  |
| a    | 5   | 40 |
+------+-----+----+

