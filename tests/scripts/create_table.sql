CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (a + 1));
---
error: NotSupported, table `t`: table `t`: `a + 1` cannot be a part of a row key; these can: c, salt(n), bucket(n, c, …), random_salt(n), hash(c, …), md5(c), reverse(c), reverse_digits(c), dict(c), left(c, n), c / n, date_trunc(unit, c), date_bin(interval, c), CAST(c AS DATE), c % n, 'text' or number

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (substr(b, 1, 2)));
---
error: NotSupported, table `t`

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (upper(b), a));
---
error: NotSupported, table `t`

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (nothing(b), a));
---
error: NotSupported, table `t`

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (salt(4), bucket(4, a), a));
---
error: InvalidInput, table `t`: table `t`: a row key has at most one of salt(n), bucket(n, …) and random_salt(n)

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (salt(0), a));
---
error: InvalidInput, table `t`

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (salt(70000), a));
---
error: InvalidInput, table `t`

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (bucket(1.5, a), a));
---
error: InvalidInput, table `t`

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (c));
---
error: InvalidInput, table `t`, column `c`

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (a, a));
---
error: InvalidInput, table `t`

CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (a, b, a DESC));
---
error: InvalidInput, table `t`

CREATE TABLE t (ts TIMESTAMP(3), a INT, PRIMARY KEY (date_trunc('hour', ts), a, date_trunc('HOUR', ts)));
---
error: InvalidInput, table `t`

CREATE TABLE t (a INT, a TEXT, PRIMARY KEY (a));
---
error: InvalidInput, table `t`, column `a`

CREATE TABLE t (a JSON, PRIMARY KEY (a));
---
error: InvalidInput, table `t`, column `a`

CREATE TABLE t (a MONEY, b INT, PRIMARY KEY (b));
---
error: NotSupported, table `t`, column `a`: table `t`: column `a`: type MONEY

CREATE TABLE t (a TIMESTAMP(4), PRIMARY KEY (a));
---
error: NotSupported, table `t`, column `a`

CREATE TABLE t (a DECIMAL(40, 2), PRIMARY KEY (a));
---
error: InvalidInput, table `t`, column `a`

CREATE TABLE t (a VARCHAR(0), PRIMARY KEY (a));
---
error: InvalidInput, table `t`, column `a`

CREATE TABLE t (a INT);
DROP TABLE t;
---
warning: table `t`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE
DROP TABLE

CREATE TABLE t (a INT PRIMARY KEY, b INT, PRIMARY KEY (b));
---
error: InvalidInput, table `t`

CREATE TABLE t (a INT, PRIMARY KEY ());
---
error: InvalidInput

CREATE TABLE t (a INT NOT NULL NULL, PRIMARY KEY (a));
---
error: InvalidInput, table `t`, column `a`

CREATE TABLE t (a INT CONSTRAINT x NOT NULL, PRIMARY KEY (a));
---
error: NotSupported, table `t`, column `a`

CREATE TABLE t (a INT, CONSTRAINT pk PRIMARY KEY (a));
---
error: NotSupported, table `t`: table `t`: `CONSTRAINT pk PRIMARY KEY (a)`

CREATE TABLE t (a INT UNIQUE, b INT, PRIMARY KEY (b));
---
error: NotSupported, table `t`, column `a`: table `t`: column `a`: `UNIQUE`

CREATE TABLE t (a INT, b INT REFERENCES u (b), PRIMARY KEY (a));
---
error: NotSupported, table `t`, column `b`: table `t`: column `b`: `REFERENCES u (b)`

CREATE TABLE t (a INT, PRIMARY KEY (a)) WITH (x = 1);
---
error: NotSupported, table `t`: table `t`: CREATE TABLE with `WITH (x = 1)`

CREATE TABLE s.t (a INT, PRIMARY KEY (a));
---
error: NotSupported

CREATE INDEX i ON t (a);
---
error: NotSupported: an index

MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE;
---
error: InvalidInput, table `t`

UPDATE t SET a = 1;
---
error: InvalidInput, table `t`

COPY t FROM 'new.csv';
---
error: InvalidInput, table `t`

BEGIN;
---
error: NotSupported: a transaction of several statements

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

