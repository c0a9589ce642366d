CREATE TABLE log (ts TIMESTAMP(0), host TEXT, message TEXT, PRIMARY KEY (random_salt(4), ts));
SHOW CREATE TABLE log;
DESCRIBE log;
---
CREATE TABLE
+-------+--------------------------------------+
| table | statement                            |
+-------+--------------------------------------+
| log   | CREATE TABLE log (                   |
|       |     ts TIMESTAMP(0) NOT NULL,        |
|       |     host TEXT,                       |
|       |     message TEXT,                    |
|       |     PRIMARY KEY (random_salt(4), ts) |
|       | )                                    |
+-------+--------------------------------------+
+---------+--------------+-------+-------+---------+--------+
| column  | type         | null  | key   | default | checks |
+---------+--------------+-------+-------+---------+--------+
| ts      | TIMESTAMP(0) | false | 2: ts |         |        |
| host    | TEXT         | true  |       |         |        |
| message | TEXT         | true  |       |         |        |
+---------+--------------+-------+-------+---------+--------+

INSERT INTO log VALUES ('2024-01-01 00:00:00', 'a', 'one'), ('2024-01-01 00:00:00', 'b', 'two'), ('2024-01-01 00:00:01', 'a', 'three');
SELECT * FROM log ORDER BY ts, host;
SELECT * FROM keys('log');
---
INSERT 3
+---------------------+------+---------+
| ts                  | host | message |
+---------------------+------+---------+
| 2024-01-01T00:00:00 | a    | one     |
| 2024-01-01T00:00:00 | b    | two     |
| 2024-01-01T00:00:01 | a    | three   |
+---------------------+------+---------+
+----------------+---------------------+--------------------+
| random_salt(4) | ts                  | row_key            |
+----------------+---------------------+--------------------+
| 1              | 2024-01-01T00:00:00 | 018000000065920080 |
| 2              | 2024-01-01T00:00:00 | 028000000065920080 |
| 3              | 2024-01-01T00:00:01 | 038000000065920081 |
+----------------+---------------------+--------------------+

EXPLAIN KEYS VERBOSE SELECT * FROM log WHERE ts = TIMESTAMP '2024-01-01 00:00:00';
EXPLAIN KEYS SELECT * FROM log WHERE ts >= TIMESTAMP '2024-01-01 00:00:00' AND ts < TIMESTAMP '2024-01-01 01:00:00' AND host = 'a';
---
log point [0] /0/2024-01-01T00:00:00  008000000065920080..008000000065920081  tight
log point [1] /1/2024-01-01T00:00:00  018000000065920080..018000000065920081  tight
log point [2] /2/2024-01-01T00:00:00  028000000065920080..028000000065920081  tight
log point [3] /3/2024-01-01T00:00:00  038000000065920080..038000000065920081  tight
log range [0–3] /0..3/2024-01-01T00:00:00 .. /0..3/2024-01-01T00:59:59  residual: host = 'a' (host is not in the row key)

INSERT INTO log VALUES ('2024-01-01 00:00:00', 'c', 'four'), ('2024-01-01 00:00:00', 'd', 'five');
SELECT * FROM log WHERE ts = TIMESTAMP '2024-01-01 00:00:00' ORDER BY host;
INSERT INTO log VALUES ('2024-01-01 00:00:09', 'e', 'six'), ('2024-01-01 00:00:00', 'e', 'seven');
INSERT INTO log SELECT TIMESTAMP '2025-01-01 00:00:00', 'many', value::TEXT FROM generate_series(1, 5);
SELECT count(*) FROM log;
---
INSERT 2
+---------------------+------+---------+
| ts                  | host | message |
+---------------------+------+---------+
| 2024-01-01T00:00:00 | a    | one     |
| 2024-01-01T00:00:00 | b    | two     |
| 2024-01-01T00:00:00 | c    | four    |
| 2024-01-01T00:00:00 | d    | five    |
+---------------------+------+---------+
error: Conflict, table `log`, constraint `PRIMARY KEY`: row 2: table `log`: rows with (ts = 2024-01-01T00:00:00) are in all 4 buckets of random_salt(4) already, and there is no room for another; one more key part tells such rows apart
error: Conflict, table `log`, constraint `PRIMARY KEY`
+----------+
| count(*) |
+----------+
| 5        |
+----------+

INSERT OR REPLACE INTO log VALUES ('2024-01-01 00:00:00', 'a', 'new');
INSERT OR REPLACE INTO log (ts, host) VALUES ('2024-01-01 00:00:00', 'a');
INSERT INTO log VALUES ('2024-01-01 00:00:00', 'a', 'new') ON CONFLICT DO NOTHING;
INSERT INTO log VALUES ('2024-01-01 00:00:00', 'a', 'new') ON CONFLICT (ts) DO UPDATE SET message = excluded.message;
UPDATE log SET ts = ts + INTERVAL '1 hour';
MERGE INTO log USING (SELECT TIMESTAMP '2024-01-01 00:00:00' AS ts) AS s ON log.ts = s.ts WHEN NOT MATCHED THEN INSERT (ts, host, message) VALUES (s.ts, 'm', 'merged');
MERGE INTO log USING (SELECT TIMESTAMP '2024-01-01 00:00:00' AS ts) AS s ON log.ts = s.ts WHEN MATCHED THEN UPDATE SET ts = s.ts;
COPY (SELECT TIMESTAMP '2024-01-01 00:00:00' AS ts, 'f' AS host, 'file' AS message) TO 'DIRECTORY/log.csv';
COPY log FROM 'DIRECTORY/log.csv' (FORMAT csv, REPLACE);
---
error: NotSupported, table `log`: table `log`: REPLACE is not possible with random_salt(4): a row lies in any of the buckets, and up to 4 rows have the same values in the rest of the key, so that a new row takes the place of no certain one; write INSERT, or DELETE and INSERT; salt(4) has one place for each row
error: NotSupported, table `log`
error: NotSupported, table `log`
error: NotSupported, table `log`
error: NotSupported, table `log`, column `ts`
error: NotSupported, table `log`: table `log`: INSERT in a MERGE
error: NotSupported, table `log`, column `ts`
COPY 1
error: NotSupported, table `log`

UPDATE log SET message = upper(message) WHERE host IN ('a', 'b');
MERGE INTO log USING (SELECT 'd' AS host) AS s ON log.host = s.host WHEN MATCHED THEN UPDATE SET message = 'merged';
DELETE FROM log WHERE host = 'c';
INSERT INTO log VALUES ('2024-01-01 00:00:00', 'f', 'in the place of c') RETURNING host;
SELECT * FROM log ORDER BY ts, host;
COPY log FROM 'DIRECTORY/log.csv' (FORMAT csv);
TRUNCATE log;
COPY log FROM 'DIRECTORY/log.csv' (FORMAT csv);
SELECT * FROM log;
---
UPDATE 3
MERGE 1
DELETE 1
+------+
| host |
+------+
| f    |
+------+
+---------------------+------+-------------------+
| ts                  | host | message           |
+---------------------+------+-------------------+
| 2024-01-01T00:00:00 | a    | ONE               |
| 2024-01-01T00:00:00 | b    | TWO               |
| 2024-01-01T00:00:00 | d    | merged            |
| 2024-01-01T00:00:00 | f    | in the place of c |
| 2024-01-01T00:00:01 | a    | THREE             |
+---------------------+------+-------------------+
error: Conflict, table `log`, constraint `PRIMARY KEY`
TRUNCATE
COPY 1
+---------------------+------+---------+
| ts                  | host | message |
+---------------------+------+---------+
| 2024-01-01T00:00:00 | f    | file    |
+---------------------+------+---------+

CREATE TABLE alone (a INT, PRIMARY KEY (random_salt(4)));
CREATE TABLE constant (a INT, PRIMARY KEY (random_salt(4), 'O'));
CREATE TABLE both (a INT, PRIMARY KEY (random_salt(4), salt(4), a));
CREATE TABLE twice (a INT, PRIMARY KEY (random_salt(4), random_salt(4), a));
CREATE TABLE none (a INT, PRIMARY KEY (random_salt(0), a));
CREATE TABLE many (a INT, PRIMARY KEY (random_salt(65537), a));
CREATE TABLE named (a INT, PRIMARY KEY (random_salt(4, a), a));
CREATE TABLE hidden (_bucket INT, PRIMARY KEY (random_salt(4), _bucket));
ALTER TABLE log ADD COLUMN _Bucket INT;
SELECT random_salt(4) FROM log;
SELECT _bucket FROM log;
---
error: InvalidInput, table `alone`: table `alone`: random_salt(n) needs another key part over a column, by which rows are found in each bucket
error: InvalidInput, table `constant`
error: InvalidInput, table `both`
error: InvalidInput, table `twice`
error: InvalidInput, table `none`
error: InvalidInput, table `many`
error: InvalidInput, table `named`
error: InvalidInput, table `hidden`, column `_bucket`
error: InvalidInput, table `log`, column `_bucket`
error: InvalidInput
error: InvalidInput, column `_bucket`

CREATE TABLE hourly (ts TIMESTAMP(0), n INT, PRIMARY KEY (date_trunc('hour', ts), random_salt(2) DESC));
INSERT INTO hourly VALUES ('2024-01-01 00:10:00', 1), ('2024-01-01 00:20:00', 2), ('2024-01-01 01:10:00', 3);
INSERT INTO hourly VALUES ('2024-01-01 00:30:00', 4);
SELECT * FROM hourly ORDER BY ts;
SELECT * FROM keys('hourly');
EXPLAIN KEYS SELECT * FROM hourly WHERE ts = TIMESTAMP '2024-01-01 00:20:00';
UPDATE hourly SET n = n + 10;
DELETE FROM hourly WHERE n = 11;
ALTER TABLE hourly ADD COLUMN note TEXT;
INSERT INTO hourly VALUES ('2024-01-01 00:30:00', 4, 'later');
SELECT * FROM hourly ORDER BY ts;
---
warning: table `hourly`: leading timestamp `date_trunc('hour', ts)`: rows that arrive in the order of time are all written at one end of the table; salt(n) or bucket(n, …) in front spreads them
warning: table `hourly`: rows share a key `date_trunc('hour', ts)`: no part separates rows: rows with the same values of all parts have one key, and only 2 of them can be stored; add the columns that tell rows apart
CREATE TABLE
INSERT 3
error: Conflict, table `hourly`, constraint `PRIMARY KEY`
+---------------------+---+
| ts                  | n |
+---------------------+---+
| 2024-01-01T00:10:00 | 1 |
| 2024-01-01T00:20:00 | 2 |
| 2024-01-01T01:10:00 | 3 |
+---------------------+---+
+------------------------+----------------+--------------------+
| date_trunc('hour', ts) | random_salt(2) | row_key            |
+------------------------+----------------+--------------------+
| 2024-01-01T00:00:00    | 1              | 8000000065920080fe |
| 2024-01-01T00:00:00    | 0              | 8000000065920080ff |
| 2024-01-01T01:00:00    | 0              | 8000000065920e90ff |
+------------------------+----------------+--------------------+
hourly range /2024-01-01T00:00:00/*  8000000065920080..8000000065920081  residual: ts = '2024-01-01T00:20:00' (of ts the row key has only date_trunc('hour', ts))
UPDATE 3
DELETE 1
ALTER TABLE
INSERT 1
+---------------------+----+-------+
| ts                  | n  | note  |
+---------------------+----+-------+
| 2024-01-01T00:20:00 | 12 |       |
| 2024-01-01T00:30:00 | 4  | later |
| 2024-01-01T01:10:00 | 13 |       |
+---------------------+----+-------+

