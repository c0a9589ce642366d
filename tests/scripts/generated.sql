CREATE TABLE sale (
    id INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, price DECIMAL(8, 2), count INT,
    total DECIMAL(12, 2) GENERATED ALWAYS AS (price * count) STORED, kind TEXT AS (CASE WHEN total > 10 THEN 'big' END)
);
CREATE TABLE sale (
    id INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, price DECIMAL(8, 2), count INT DEFAULT 1,
    total DECIMAL(12, 2) GENERATED ALWAYS AS (sale.price * count) STORED,
    kind TEXT AS (CASE WHEN price > 10 THEN 'dear' END), CHECK (total < 1000)
);
INSERT INTO sale VALUES (DEFAULT, 2.50, 3), (DEFAULT, 20, 1);
INSERT INTO sale (price) VALUES (7);
INSERT INTO sale (price, count) SELECT 1, 2;
SELECT * FROM sale;
UPDATE sale SET count = count + 1 WHERE id = 1;
UPDATE sale SET price = 30 WHERE id = 3;
SELECT * FROM sale;
SELECT id FROM sale WHERE total > 20;
SHOW CREATE TABLE sale;
---
error: table `sale`: the generated column `kind` (CASE WHEN total > 10 THEN 'big' END): it cannot be computed of `total`, which is generated itself
CREATE TABLE
INSERT 2
INSERT 1
INSERT 1
+----+-------+-------+-------+------+
| id | price | count | total | kind |
+----+-------+-------+-------+------+
| 1  | 2.50  | 3     | 7.50  |      |
| 2  | 20.00 | 1     | 20.00 | dear |
| 3  | 7.00  | 1     | 7.00  |      |
| 4  | 1.00  | 2     | 2.00  |      |
+----+-------+-------+-------+------+
UPDATE 1
UPDATE 1
+----+-------+-------+-------+------+
| id | price | count | total | kind |
+----+-------+-------+-------+------+
| 1  | 2.50  | 4     | 10.00 |      |
| 2  | 20.00 | 1     | 20.00 | dear |
| 3  | 30.00 | 1     | 30.00 | dear |
| 4  | 1.00  | 2     | 2.00  |      |
+----+-------+-------+-------+------+
+----+
| id |
+----+
| 3  |
+----+
+-------+----------------------------------------------------------------------------------+
| table | statement                                                                        |
+-------+----------------------------------------------------------------------------------+
| sale  | CREATE TABLE sale (                                                              |
|       |     id INT NOT NULL GENERATED ALWAYS AS IDENTITY,                                |
|       |     price DECIMAL(8, 2),                                                         |
|       |     count INT DEFAULT 1,                                                         |
|       |     total DECIMAL(12, 2) GENERATED ALWAYS AS (price * count) STORED,             |
|       |     kind TEXT GENERATED ALWAYS AS (CASE WHEN price > 10 THEN 'dear' END) STORED, |
|       |     CONSTRAINT sale_total_check CHECK (total < 1000),                            |
|       |     PRIMARY KEY (id)                                                             |
|       | )                                                                                |
+-------+----------------------------------------------------------------------------------+

INSERT INTO sale VALUES (9, 1, 1);
INSERT INTO sale (id, price) VALUES (9, 1);
INSERT INTO sale (price, total) VALUES (1, 1);
INSERT INTO sale (id, price) SELECT 9, 1;
INSERT INTO sale (price, count) VALUES (1000, 1);
INSERT INTO sale (price, count) VALUES (100, 2000000000) RETURNING id;
INSERT INTO sale (price) VALUES (1) RETURNING id;
UPDATE sale SET total = 1;
UPDATE sale SET id = 9;
ALTER TABLE sale DROP COLUMN price;
ALTER TABLE sale DROP COLUMN id;
ALTER TABLE sale ADD COLUMN double INT GENERATED ALWAYS AS (count * 2) STORED;
ALTER TABLE sale ALTER COLUMN total SET DEFAULT 1;
ALTER TABLE sale RENAME COLUMN price TO cost;
ALTER TABLE sale DROP COLUMN kind;
INSERT INTO sale (cost) VALUES (5);
SELECT * FROM sale ORDER BY id DESC LIMIT 1;
---
error: table `sale`: column `id` is GENERATED ALWAYS AS IDENTITY and takes no value; leave it out of the list of columns, or write DEFAULT
error: table `sale`: column `id` is GENERATED ALWAYS AS IDENTITY and takes no value; leave it out of the list of columns, or write DEFAULT
error: table `sale`: column `total` is computed, AS (price * count), and takes no value: leave it out
error: table `sale`: column `id` is GENERATED ALWAYS AS IDENTITY and takes no value; leave it out of the list of columns, or write DEFAULT
error: row 1: table `sale`: constraint `sale_total_check`, CHECK (total < 1000), does not hold for total = 1000.00
error: table `sale`: column `total` of type DECIMAL(12, 2) cannot hold 200000000000.00: it is out of range
+----+
| id |
+----+
| 7  |
+----+
error: table `sale`: column `total` is computed, AS (price * count), and takes no value: leave it out
error: table `sale`: column `id` is GENERATED ALWAYS AS IDENTITY and takes no value; leave it out of the list of columns, or write DEFAULT
error: table `sale`: column `total` is computed of column `price`: drop that first
error: table `sale`: column `id` is part of the row key, so it cannot be dropped: make a table with another key and INSERT … SELECT
error: table `sale`: ADD COLUMN double INT GENERATED ALWAYS AS (count * 2) STORED is not implemented, since the rows would be rewritten: make a table with the column and INSERT … SELECT
error: table `sale`: column `total` has more than one of DEFAULT, GENERATED and IDENTITY
ALTER TABLE
ALTER TABLE
INSERT 1
+----+------+-------+-------+
| id | cost | count | total |
+----+------+-------+-------+
| 8  | 5.00 | 1     | 5.00  |
+----+------+-------+-------+

CREATE TABLE wrong (a INT, b INT AS (a + random()));
CREATE TABLE wrong (a INT, b INT AS (c));
CREATE TABLE wrong (a INT, b INT AS (a), PRIMARY KEY (b));
CREATE TABLE wrong (a INT DEFAULT 1 AS (2));
CREATE TABLE wrong (a TEXT GENERATED ALWAYS AS IDENTITY);
CREATE TABLE wrong (a INTEGER PRIMARY KEY AUTOINCREMENT);
CREATE TABLE wrong (a INT GENERATED ALWAYS AS IDENTITY (START WITH 10));
CREATE TABLE narrow (a INT, b TINYINT NOT NULL AS (a));
INSERT INTO narrow VALUES (127);
INSERT INTO narrow VALUES (1), (128);
INSERT INTO narrow VALUES (NULL);
---
error: table `wrong`: the generated column `b` (a + random()): a generated column cannot have `random()`, whose answer changes while the row stays as it is
error: table `wrong`: the generated column `b` (c): there is no column `c`; the columns are wrong.a, wrong.b
error: table `wrong`: column `b` is generated, and cannot be in the row key; a key part is computed itself, as in PRIMARY KEY (date_trunc('hour', ts))
error: table `wrong`: column `a` has more than one of DEFAULT, GENERATED and IDENTITY
error: table `wrong`: column `a` is an identity: its type is a whole number, and NOT NULL
error: table `wrong`: column `a`: `AUTOINCREMENT` is not implemented; write GENERATED BY DEFAULT AS IDENTITY
error: table `wrong`: column `a`: options of an identity are not implemented; CREATE SEQUENCE with them, and DEFAULT nextval('…')
warning: table `narrow`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE
INSERT 1
error: row 2: table `narrow`: column `b` of type TINYINT cannot hold 128: it is out of range
error: row 1: table `narrow`: column `b` is NOT NULL and is given NULL

CREATE TABLE log (n BIGSERIAL PRIMARY KEY, what TEXT);
INSERT INTO log (what) VALUES ('a'), ('b');
INSERT INTO log VALUES (10, 'c');
SELECT * FROM log;
SELECT sequence_name, maximum_value FROM information_schema.sequences ORDER BY 1;
DROP SEQUENCE log_n_seq;
CREATE SEQUENCE ids;
CREATE TABLE numbered (a BIGINT DEFAULT nextval('ids') PRIMARY KEY);
DROP SEQUENCE ids;
CREATE TABLE other (LIKE log);
INSERT INTO other (what) VALUES ('x');
SELECT * FROM other;
DROP TABLE log;
DROP TABLE numbered;
DROP SEQUENCE ids;
SELECT sequence_name FROM information_schema.sequences ORDER BY 1;
---
CREATE TABLE
INSERT 2
INSERT 1
+----+------+
| n  | what |
+----+------+
| 1  | a    |
| 2  | b    |
| 10 | c    |
+----+------+
+---------------+---------------------+
| sequence_name | maximum_value       |
+---------------+---------------------+
| log_n_seq     | 9223372036854775807 |
| sale_id_seq   | 2147483647          |
+---------------+---------------------+
error: sequence `log_n_seq`: column `n` of table `log` takes its numbers from it; ALTER TABLE … ALTER COLUMN … DROP DEFAULT, or DROP TABLE, drops that
CREATE SEQUENCE
CREATE TABLE
error: sequence `ids`: column `a` of table `numbered` takes its numbers from it; ALTER TABLE … ALTER COLUMN … DROP DEFAULT, or DROP TABLE, drops that
CREATE TABLE
INSERT 1
+---+------+
| n | what |
+---+------+
| 1 | x    |
+---+------+
DROP TABLE
DROP TABLE
DROP SEQUENCE
+---------------+
| sequence_name |
+---------------+
| other_n_seq   |
| sale_id_seq   |
+---------------+

COMMENT ON TABLE sale IS 'what was sold';
COMMENT ON COLUMN sale.cost IS 'in euros, it''s gross';
CREATE VIEW sold AS SELECT id FROM sale;
COMMENT ON VIEW sold IS 'numbers';
COMMENT ON SEQUENCE sale_id_seq IS 'ids';
COMMENT ON COLUMN sale.nothing IS 'x';
COMMENT ON COLUMN cost IS 'x';
COMMENT ON TABLE nothing IS 'x';
COMMENT ON DATABASE halite IS 'x';
SELECT table_name, table_comment FROM information_schema.tables WHERE table_comment IS NOT NULL ORDER BY 1;
SELECT column_name, is_identity, identity_generation, is_generated, generation_expression, column_comment
    FROM information_schema.columns WHERE table_name = 'sale';
SELECT sequence_name, sequence_comment FROM information_schema.sequences WHERE sequence_comment IS NOT NULL;
COMMENT ON TABLE sale IS NULL;
SELECT count(*) FROM information_schema.tables WHERE table_comment IS NOT NULL;
INSERT INTO sale (cost) VALUES (6);
SELECT max(id) FROM sale;
---
COMMENT
COMMENT
CREATE VIEW
COMMENT
COMMENT
error: table `sale` has no column `nothing`
error: COMMENT ON COLUMN cost: a column is named with its table, as in t.c
error: there is no table `nothing`; there are narrow, other, sale
error: COMMENT ON DATABASE is not implemented; on TABLE, COLUMN, VIEW and SEQUENCE it is
+------------+---------------+
| table_name | table_comment |
+------------+---------------+
| sale       | what was sold |
| sold       | numbers       |
+------------+---------------+
+-------------+-------------+---------------------+--------------+-----------------------+----------------------+
| column_name | is_identity | identity_generation | is_generated | generation_expression | column_comment       |
+-------------+-------------+---------------------+--------------+-----------------------+----------------------+
| id          | YES         | ALWAYS              | NEVER        |                       |                      |
| cost        | NO          |                     | NEVER        |                       | in euros, it's gross |
| count       | NO          |                     | NEVER        |                       |                      |
| total       | NO          |                     | ALWAYS       | cost * count          |                      |
+-------------+-------------+---------------------+--------------+-----------------------+----------------------+
+---------------+------------------+
| sequence_name | sequence_comment |
+---------------+------------------+
| sale_id_seq   | ids              |
+---------------+------------------+
COMMENT
+----------+
| count(*) |
+----------+
| 1        |
+----------+
INSERT 1
+---------+
| max(id) |
+---------+
| 33      |
+---------+

