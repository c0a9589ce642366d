CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (a + 1));
---
error: table `t`: `a + 1` cannot be a part of a row key; these can: c, salt(n), bucket(n, c, …), random_salt(n), hash(c, …), md5(c), reverse(c), reverse_digits(c), dict(c), left(c, n), c / n, date_trunc(unit, c), date_bin(interval, c), CAST(c AS DATE), c % n, 'text' or number

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (substr(b, 1, 2)));
---
error: table `t`: `SUBSTR(b, 1, 2)` cannot be a part of a row key; these can: c, salt(n), bucket(n, c, …), random_salt(n), hash(c, …), md5(c), reverse(c), reverse_digits(c), dict(c), left(c, n), c / n, date_trunc(unit, c), date_bin(interval, c), CAST(c AS DATE), c % n, 'text' or number

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (upper(b), a));
---
error: table `t`: key part `upper(b)`: `upper` cannot be a part of a row key; these can: c, salt(n), bucket(n, c, …), random_salt(n), hash(c, …), md5(c), reverse(c), reverse_digits(c), dict(c), left(c, n), c / n, date_trunc(unit, c), date_bin(interval, c), CAST(c AS DATE), c % n, 'text' or number

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (nothing(b), a));
---
error: table `t`: key part `nothing(b)`: `nothing` cannot be a part of a row key; these can: c, salt(n), bucket(n, c, …), random_salt(n), hash(c, …), md5(c), reverse(c), reverse_digits(c), dict(c), left(c, n), c / n, date_trunc(unit, c), date_bin(interval, c), CAST(c AS DATE), c % n, 'text' or number

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (salt(4), bucket(4, a), a));
---
error: table `t`: a row key has at most one of salt(n), bucket(n, …) and random_salt(n)

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (salt(0), a));
---
error: table `t`: key part `salt(0)`: 0 buckets; there can be 1 to 65536

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (salt(70000), a));
---
error: table `t`: key part `salt(70000)`: 70000 buckets; there can be 1 to 65536

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (bucket(1.5, a), a));
---
error: table `t`: 1.5 in a key part: invalid digit found in string

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (c));
---
error: table `t`: key part `c`: there is no column `c`

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (a, a));
---
error: table `t`: key part `a` stands in the key twice

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (a, b, a DESC));
---
error: table `t`: key part `a` stands in the key twice

CREATE TABLE t (ts TIMESTAMP(3), a INT, PRIMARY KEY (date_trunc('hour', ts), a, date_trunc('HOUR', ts)));
---
error: table `t`: key part `date_trunc('hour', ts)` stands in the key twice

CREATE TABLE t (a INT, a TEXT, PRIMARY KEY (a));
---
error: table `t`: column `a` is declared twice

CREATE TABLE t (a JSON, PRIMARY KEY (a));
---
error: table `t`: key part `a`: column `a` of type JSON cannot be a key part, nor can a key part be computed from it

CREATE TABLE t (a MONEY, b INT, PRIMARY KEY (b));
---
error: table `t`: column `a`: type MONEY is not implemented

CREATE TABLE t (a TIMESTAMP(4), PRIMARY KEY (a));
---
error: table `t`: column `a`: TIMESTAMP(4): the digits are 0, 3, 6 or 9

CREATE TABLE t (a DECIMAL(40, 2), PRIMARY KEY (a));
---
error: table `t`: column `a`: DECIMAL(40, 2): the precision is 1 to 38, the scale 0 to the precision

CREATE TABLE t (a VARCHAR(0), PRIMARY KEY (a));
---
error: table `t`: column `a`: a length of 0; it is 1 to 4294967295

CREATE TABLE t (a INT);
DROP TABLE t;
---
warning: table `t`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE
DROP TABLE

CREATE TABLE t (a INT PRIMARY KEY, b INT, PRIMARY KEY (b));
---
error: table `t`: a table has one PRIMARY KEY

CREATE TABLE t (a INT, PRIMARY KEY ());
---
error: syntax error: Expected: an expression, found: ) at Line: 1, Column: 37

CREATE TABLE t (a INT NOT NULL NULL, PRIMARY KEY (a));
---
error: table `t`: column `a`: NULL and NOT NULL exclude each other

CREATE TABLE t (a INT CONSTRAINT x NOT NULL, PRIMARY KEY (a));
---
error: table `t`: column `a`: `CONSTRAINT x NOT NULL`: constraints have no names

CREATE TABLE t (a INT, CONSTRAINT pk PRIMARY KEY (a));
---
error: table `t`: `CONSTRAINT pk PRIMARY KEY (a)` is not implemented

CREATE TABLE t (a INT UNIQUE, b INT, PRIMARY KEY (b));
---
error: table `t`: column `a`: `UNIQUE` is not implemented; the row key alone is unique: let the column be the key of a table of its own

CREATE TABLE t (a INT, b INT REFERENCES u (b), PRIMARY KEY (a));
---
error: table `t`: column `b`: `REFERENCES u (b)` is not implemented; leave it out, and ask with WHERE EXISTS (SELECT …) where it matters

CREATE TABLE t (a INT, PRIMARY KEY (a)) WITH (x = 1);
---
error: table `t`: CREATE TABLE with `WITH (x = 1)` is not implemented

CREATE TABLE s.t (a INT, PRIMARY KEY (a));
---
error: `s.t`: tables have no schema but public

CREATE INDEX i ON t (a);
---
error: an index is not implemented; rows are found by the row key: let the column lead it, or keep the rows a second time under another key, as CREATE TABLE t_by_c (PRIMARY KEY (c, id)) AS SELECT * FROM t

MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE;
---
error: there is no table `t`, and no other

UPDATE t SET a = 1;
---
error: there is no table `t`, and no other

COPY t FROM 'new.csv';
---
error: there is no table `t`, and no other; CREATE TABLE t AS SELECT * FROM 'new.csv' makes one of the file

BEGIN;
---
error: a transaction of several statements is not implemented; each statement is done as a whole or not at all by itself: leave this one out, and of changes that belong together make one statement, such as MERGE INTO or INSERT … SELECT

CREATE TABLE t (ts TIMESTAMP(3), a INT, PRIMARY KEY (ts, a));
---
warning: table `t`: leading timestamp `ts`: rows that arrive in the order of time are all written at one end of the table; salt(n) or bucket(n, …) in front spreads them
CREATE TABLE

CREATE TABLE u (a CHAR(10), b CHAR(10), PRIMARY KEY (a, b));
---
warning: table `u`: wide key `a`: parts of fixed width take 20 bytes of every row's key; above 16, narrower types or fewer parts make tables smaller and scans faster
CREATE TABLE

CREATE TABLE v (a INT, b INT, PRIMARY KEY (hash(a)));
---
CREATE TABLE

CREATE TABLE far (ts TIMESTAMP(3), PRIMARY KEY (salt(4), ts));
INSERT INTO far VALUES (TIMESTAMP '3000-01-01');
INSERT INTO far VALUES ('3000-01-02');
SELECT * FROM far WHERE ts > '2999-01-01' ORDER BY ts;
---
CREATE TABLE
INSERT 1
INSERT 1
+---------------------+
| ts                  |
+---------------------+
| 3000-01-01T00:00:00 |
| 3000-01-02T00:00:00 |
+---------------------+

