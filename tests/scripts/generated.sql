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
error: InvalidInput, table `sale`, column `kind`: table `sale`: the generated column `kind` (CASE WHEN total > 10 THEN 'big' END): it cannot be computed of `total`, which is generated itself
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
error: InvalidInput, table `sale`, column `id`
error: InvalidInput, table `sale`, column `id`
error: InvalidInput, table `sale`, column `total`
error: InvalidInput, table `sale`, column `id`
error: InvalidInput, table `sale`, constraint `sale_total_check`
error: InvalidInput, table `sale`, column `total`
+----+
| id |
+----+
| 7  |
+----+
error: InvalidInput, table `sale`, column `total`
error: InvalidInput, table `sale`, column `id`
error: InvalidInput, table `sale`, column `total`
error: NotSupported, table `sale`, column `id`: table `sale`: column `id` is part of the row key, so it cannot be dropped: make a table with another key and INSERT … SELECT
error: NotSupported, table `sale`: table `sale`: ADD COLUMN double INT GENERATED ALWAYS AS (count * 2) STORED
error: InvalidInput, table `sale`, column `total`
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
error: InvalidInput, table `wrong`, column `b`
error: InvalidInput, table `wrong`, column `b`
error: NotSupported, table `wrong`, column `b`
error: InvalidInput, table `wrong`, column `a`
error: InvalidInput, table `wrong`, column `a`
error: NotSupported, table `wrong`, column `a`: table `wrong`: column `a`: `AUTOINCREMENT`
error: NotSupported, table `wrong`, column `a`
warning: table `narrow`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE
INSERT 1
error: InvalidInput, table `narrow`, column `b`
error: InvalidInput, table `narrow`, column `b`, constraint `NOT NULL`

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
error: Conflict, table `log`, column `n`: sequence `log_n_seq`: column `n` of table `log` takes its numbers from it; ALTER TABLE … ALTER COLUMN … DROP DEFAULT, or DROP TABLE, drops that
CREATE SEQUENCE
CREATE TABLE
error: Conflict, table `numbered`, column `a`
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
error: InvalidInput, table `sale`, column `nothing`
error: InvalidInput
error: InvalidInput, table `nothing`
error: NotSupported: COMMENT ON DATABASE
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

