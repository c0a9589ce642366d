CREATE TABLE note (written TIMESTAMP(3), text TEXT NOT NULL);
INSERT INTO note VALUES ('2024-01-31 10:00', 'first'), (NULL, 'second');
INSERT INTO note (text) VALUES ('third'), ('first');
SELECT * FROM note;
---
warning: table `note`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE
INSERT 2
INSERT 2
+---------------------+--------+
| written             | text   |
+---------------------+--------+
| 2024-01-31T10:00:00 | first  |
|                     | second |
|                     | third  |
|                     | first  |
+---------------------+--------+

DESCRIBE note;
SHOW CREATE TABLE note;
---
+---------+--------------+-------+-----+---------+--------+
| column  | type         | null  | key | default | checks |
+---------+--------------+-------+-----+---------+--------+
| written | TIMESTAMP(3) | true  |     |         |        |
| text    | TEXT         | false |     |         |        |
+---------+--------------+-------+-----+---------+--------+
+-------+---------------------------+
| table | statement                 |
+-------+---------------------------+
| note  | CREATE TABLE note (       |
|       |     written TIMESTAMP(3), |
|       |     text TEXT NOT NULL    |
|       | )                         |
+-------+---------------------------+

EXPLAIN KEYS SELECT * FROM note WHERE text = 'first';
SELECT * FROM keys('note') LIMIT 1;
---
note full /*  ..  residual: text = 'first' (text is not in the row key)
+---------+------------------+
| _row_id | row_key          |
+---------+------------------+
| 1       | 8000000000000001 |
+---------+------------------+

SELECT _row_id FROM note;
INSERT INTO note (_row_id, text) VALUES (1, 'x');
CREATE TABLE bad (_row_id INT);
CREATE TABLE fine (_row_id INT PRIMARY KEY);
---
error: InvalidInput, column `_row_id`: there is no column `_row_id`; the columns are note.written, note.text
error: InvalidInput, table `note`, column `_row_id`
error: InvalidInput, table `bad`, column `_row_id`
CREATE TABLE

INSERT INTO note (text) VALUES (NULL);
DELETE FROM note WHERE text = 'first';
SELECT * FROM note;
TRUNCATE note;
INSERT INTO note SELECT NULL, 'anew';
SELECT *, count(*) OVER () AS rows FROM note;
---
error: InvalidInput, table `note`, column `text`, constraint `NOT NULL`
DELETE 2
+---------+--------+
| written | text   |
+---------+--------+
|         | second |
|         | third  |
+---------+--------+
TRUNCATE
INSERT 1
+---------+------+------+
| written | text | rows |
+---------+------+------+
|         | anew | 1    |
+---------+------+------+

CREATE TABLE IF NOT EXISTS note (a INT);
CREATE TABLE note (a INT);
---
CREATE TABLE
error: Conflict, table `note`: table `note` exists already

CREATE TABLE source (a INT, b VARCHAR(3) NOT NULL, c DECIMAL(10, 2), PRIMARY KEY (salt(4), a, b DESC));
CREATE TABLE copied LIKE source;
CREATE TABLE IF NOT EXISTS copied LIKE source;
CREATE TABLE bracketed (LIKE source INCLUDING DEFAULTS);
CREATE TABLE keyless (LIKE note);
SHOW CREATE TABLE copied;
SHOW CREATE TABLE bracketed;
SHOW CREATE TABLE keyless;
CREATE TABLE copied LIKE source;
CREATE TABLE again LIKE missing;
CREATE TABLE again (LIKE source EXCLUDING DEFAULTS);
---
CREATE TABLE
CREATE TABLE
CREATE TABLE
CREATE TABLE
warning: table `keyless`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE
+--------+--------------------------------------+
| table  | statement                            |
+--------+--------------------------------------+
| copied | CREATE TABLE copied (                |
|        |     a INT NOT NULL,                  |
|        |     b VARCHAR(3) NOT NULL,           |
|        |     c DECIMAL(10, 2),                |
|        |     PRIMARY KEY (salt(4), a, b DESC) |
|        | )                                    |
+--------+--------------------------------------+
+-----------+--------------------------------------+
| table     | statement                            |
+-----------+--------------------------------------+
| bracketed | CREATE TABLE bracketed (             |
|           |     a INT NOT NULL,                  |
|           |     b VARCHAR(3) NOT NULL,           |
|           |     c DECIMAL(10, 2),                |
|           |     PRIMARY KEY (salt(4), a, b DESC) |
|           | )                                    |
+-----------+--------------------------------------+
+---------+---------------------------+
| table   | statement                 |
+---------+---------------------------+
| keyless | CREATE TABLE keyless (    |
|         |     written TIMESTAMP(3), |
|         |     text TEXT NOT NULL    |
|         | )                         |
+---------+---------------------------+
error: Conflict, table `copied`
error: InvalidInput, table `missing`
error: NotSupported: LIKE … EXCLUDING DEFAULTS is not implemented; ALTER COLUMN … DROP DEFAULT afterwards

INSERT INTO source VALUES (1, 'x', 1.5), (2, 'y', NULL);
CREATE TABLE summary AS SELECT b, count(*) AS rows, sum(c) AS total FROM source GROUP BY b;
SHOW CREATE TABLE summary;
SELECT * FROM summary ORDER BY b;
---
INSERT 2
warning: table `summary`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE 2
+---------+--------------------------+
| table   | statement                |
+---------+--------------------------+
| summary | CREATE TABLE summary (   |
|         |     b TEXT,              |
|         |     rows BIGINT,         |
|         |     total DECIMAL(20, 2) |
|         | )                        |
+---------+--------------------------+
+---+------+-------+
| b | rows | total |
+---+------+-------+
| x | 1    | 1.50  |
| y | 1    |       |
+---+------+-------+

CREATE TABLE keyed (PRIMARY KEY (b, a)) AS SELECT a, b, c * 2 AS c, NULL AS nothing FROM source;
SHOW CREATE TABLE keyed;
SELECT * FROM keyed;
CREATE TABLE typed (x BIGINT, y TEXT, PRIMARY KEY (x)) AS SELECT a, b FROM source WHERE a > 1;
SHOW CREATE TABLE typed;
SELECT * FROM typed;
---
CREATE TABLE 2
+-------+------------------------+
| table | statement              |
+-------+------------------------+
| keyed | CREATE TABLE keyed (   |
|       |     a INT NOT NULL,    |
|       |     b TEXT NOT NULL,   |
|       |     c DECIMAL(31, 2),  |
|       |     nothing TEXT,      |
|       |     PRIMARY KEY (b, a) |
|       | )                      |
+-------+------------------------+
+---+---+------+---------+
| a | b | c    | nothing |
+---+---+------+---------+
| 1 | x | 3.00 |         |
| 2 | y |      |         |
+---+---+------+---------+
CREATE TABLE 1
+-------+------------------------+
| table | statement              |
+-------+------------------------+
| typed | CREATE TABLE typed (   |
|       |     x BIGINT NOT NULL, |
|       |     y TEXT,            |
|       |     PRIMARY KEY (x)    |
|       | )                      |
+-------+------------------------+
+---+---+
| x | y |
+---+---+
| 2 | y |
+---+---+

CREATE TABLE IF NOT EXISTS keyed AS SELECT 1;
CREATE TABLE keyed AS SELECT 1;
CREATE TABLE keyed2 (PRIMARY KEY (a)) AS VALUES (1);
CREATE TABLE pairs AS VALUES (1, 'a'), (2, 'b');
SELECT * FROM pairs;
CREATE TABLE empty AS SELECT * FROM pairs WHERE false;
SELECT count(*) FROM empty;
SELECT * FROM missing;
---
CREATE TABLE 0
error: Conflict, table `keyed`
error: InvalidInput, table `keyed2`, column `a`
warning: table `pairs`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE 2
+---------+---------+
| column1 | column2 |
+---------+---------+
| 1       | a       |
| 2       | b       |
+---------+---------+
warning: table `empty`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE 0
+----------+
| count(*) |
+----------+
| 0        |
+----------+
error: InvalidInput, table `missing`

SHOW TABLES;
---
+-----------+
| table     |
+-----------+
| bracketed |
| copied    |
| empty     |
| fine      |
| keyed     |
| keyless   |
| note      |
| pairs     |
| source    |
| summary   |
| typed     |
+-----------+

-- in the place of another table
CREATE TABLE place (id INT PRIMARY KEY, a TEXT);
INSERT INTO place VALUES (1, 'old'), (2, 'old');
CREATE OR REPLACE TABLE place (PRIMARY KEY (id)) AS SELECT id + 10 AS id, a || '!' AS b FROM place;
SELECT * FROM place ORDER BY id;
CREATE OR REPLACE TABLE place AS SELECT 1 / (id - 11) AS z FROM place;
SELECT * FROM place ORDER BY id;
CREATE OR REPLACE TABLE place (n BIGINT PRIMARY KEY);
SELECT count(*) FROM place;
INSERT INTO place VALUES (7);
CREATE VIEW of_place AS SELECT n FROM place;
CREATE OR REPLACE TABLE place (x INT PRIMARY KEY);
DROP VIEW of_place;
CREATE OR REPLACE TABLE IF NOT EXISTS place (x INT PRIMARY KEY);
CREATE OR REPLACE TABLE other_place AS SELECT 1 AS a;
CREATE OR REPLACE TEMP TABLE other_place AS SELECT 2 AS a;
SELECT * FROM other_place;
SELECT * FROM place;
---
CREATE TABLE
INSERT 2
CREATE TABLE 2
+----+------+
| id | b    |
+----+------+
| 11 | old! |
| 12 | old! |
+----+------+
error: InvalidInput
+----+------+
| id | b    |
+----+------+
| 11 | old! |
| 12 | old! |
+----+------+
CREATE TABLE
+----------+
| count(*) |
+----------+
| 0        |
+----------+
INSERT 1
CREATE VIEW
error: Conflict, table `place`
DROP VIEW
error: InvalidInput
warning: table `other_place`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE 1
warning: table `other_place`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE 1
+---+
| a |
+---+
| 2 |
+---+
+---+
| n |
+---+
| 7 |
+---+

