CREATE TABLE reading (host TEXT, n INT, PRIMARY KEY (host));
INSERT INTO reading VALUES ('a', 1), ('b', 2), ('c', 3);
CREATE VIEW large AS SELECT host, n FROM reading WHERE n > 1;
CREATE TEMP TABLE chosen (host TEXT, why TEXT, PRIMARY KEY (host));
INSERT INTO chosen VALUES ('b', 'new'), ('c', 'hot');
---
CREATE TABLE
INSERT 3
CREATE VIEW
CREATE TABLE
INSERT 2

SELECT host, n, why FROM large JOIN chosen USING (host) ORDER BY host;
EXPLAIN KEYS SELECT * FROM chosen WHERE host = 'b';
---
+------+---+-----+
| host | n | why |
+------+---+-----+
| b    | 2 | new |
| c    | 3 | hot |
+------+---+-----+
chosen point /b  620001..620002  tight

INSERT INTO reading SELECT why, 9 FROM chosen;
DELETE FROM chosen WHERE host IN (SELECT host FROM reading WHERE n = 3);
SELECT * FROM chosen;
---
INSERT 2
DELETE 1
+------+-----+
| host | why |
+------+-----+
| b    | new |
+------+-----+

CREATE TEMPORARY TABLE reading (host TEXT, PRIMARY KEY (host));
SELECT count(*) FROM reading;
SELECT * FROM large ORDER BY host;
---
CREATE TABLE
+----------+
| count(*) |
+----------+
| 0        |
+----------+
+------+---+
| host | n |
+------+---+
| b    | 2 |
| c    | 3 |
| hot  | 9 |
| new  | 9 |
+------+---+

SHOW TABLES;
SHOW CREATE TABLE reading;
DESCRIBE reading;
---
+---------+
| table   |
+---------+
| chosen  |
| large   |
| reading |
+---------+
+---------+-----------------------------+
| table   | statement                   |
+---------+-----------------------------+
| reading | CREATE TEMP TABLE reading ( |
|         |     host TEXT NOT NULL,     |
|         |     PRIMARY KEY (host)      |
|         | )                           |
+---------+-----------------------------+
+--------+------+-------+---------+---------+--------+
| column | type | null  | key     | default | checks |
+--------+------+-------+---------+---------+--------+
| host   | TEXT | false | 1: host |         |        |
+--------+------+-------+---------+---------+--------+

CREATE VIEW v AS SELECT host FROM reading;
---
error: NotSupported: view `v`: `reading` is temporary, and the database keeps the view: CREATE TEMP VIEW goes with it

CREATE TEMP VIEW v AS SELECT host FROM large WHERE n = 2;
SHOW CREATE VIEW v;
SELECT * FROM v;
---
CREATE VIEW
+------+------------------------------------+
| view | statement                          |
+------+------------------------------------+
| v    | CREATE TEMP VIEW v AS              |
|      | SELECT host FROM large WHERE n = 2 |
+------+------------------------------------+
+------+
| host |
+------+
| b    |
+------+

CREATE TEMP VIEW large AS SELECT 1 AS one;
---
error: Conflict: the temporary view `v` reads `large` of the database, which a temporary one would hide: drop the view first

CREATE TEMP VIEW large AS SELECT * FROM large;
---
error: Conflict

DROP TABLE reading, chosen;
SELECT count(*) FROM reading;
---
DROP TABLE
+----------+
| count(*) |
+----------+
| 5        |
+----------+

DROP VIEW v;
CREATE TEMP TABLE chosen (a INT, PRIMARY KEY (a));
CREATE TEMP TABLE chosen (a INT, PRIMARY KEY (a));
---
DROP VIEW
CREATE TABLE
error: Conflict, table `chosen`

DROP TABLE chosen, reading;
---
error: NotSupported

TRUNCATE TABLE chosen;
DROP TABLE chosen;
SHOW TABLES;
---
TRUNCATE
DROP TABLE
+---------+
| table   |
+---------+
| large   |
| reading |
+---------+

