CREATE TABLE person (id INT PRIMARY KEY, name TEXT NOT NULL, born DATE CHECK (born > '1900-01-01'));
INSERT INTO person VALUES (1, 'Ann', '1990-05-01'), (2, 'Bob', NULL);
ALTER TABLE person ADD COLUMN email TEXT, ADD COLUMN active BOOLEAN NOT NULL DEFAULT true;
SELECT * FROM person;
DESCRIBE person;
---
CREATE TABLE
INSERT 2
ALTER TABLE
+----+------+------------+-------+--------+
| id | name | born       | email | active |
+----+------+------------+-------+--------+
| 1  | Ann  | 1990-05-01 |       | true   |
| 2  | Bob  |            |       | true   |
+----+------+------------+-------+--------+
+--------+---------+-------+-------+---------+---------------------+
| column | type    | null  | key   | default | checks              |
+--------+---------+-------+-------+---------+---------------------+
| id     | INT     | false | 1: id |         |                     |
| name   | TEXT    | false |       |         |                     |
| born   | DATE    | true  |       |         | born > '1900-01-01' |
| email  | TEXT    | true  |       |         |                     |
| active | BOOLEAN | false |       | true    |                     |
+--------+---------+-------+-------+---------+---------------------+

ALTER TABLE person RENAME COLUMN born TO birthday;
ALTER TABLE person DROP COLUMN email;
ALTER TABLE person ALTER COLUMN active SET DEFAULT false;
ALTER TABLE person RENAME TO people;
SHOW CREATE TABLE people;
INSERT INTO people (id, name) VALUES (3, 'Cy');
SELECT * FROM people;
SHOW TABLES;
---
ALTER TABLE
ALTER TABLE
ALTER TABLE
ALTER TABLE
+--------+-------------------------------------------------------------------+
| table  | statement                                                         |
+--------+-------------------------------------------------------------------+
| people | CREATE TABLE people (                                             |
|        |     id INT NOT NULL,                                              |
|        |     name TEXT NOT NULL,                                           |
|        |     birthday DATE,                                                |
|        |     active BOOLEAN NOT NULL DEFAULT false,                        |
|        |     CONSTRAINT person_born_check CHECK (birthday > '1900-01-01'), |
|        |     PRIMARY KEY (id)                                              |
|        | )                                                                 |
+--------+-------------------------------------------------------------------+
INSERT 1
+----+------+------------+--------+
| id | name | birthday   | active |
+----+------+------------+--------+
| 1  | Ann  | 1990-05-01 | true   |
| 2  | Bob  |            | true   |
| 3  | Cy   |            | false  |
+----+------+------------+--------+
+--------+
| table  |
+--------+
| people |
+--------+

EXPLAIN KEYS SELECT * FROM people WHERE id = 2 AND active;
---
people point /2  80000002..80000003  residual: active (active is not in the row key)

ALTER TABLE people ALTER COLUMN birthday SET NOT NULL;
ALTER TABLE people ADD CONSTRAINT grown CHECK (birthday < '1980-01-01');
ALTER TABLE people ADD CONSTRAINT has_name CHECK (name <> '');
ALTER TABLE people DROP CONSTRAINT person_born_check;
ALTER TABLE people ALTER COLUMN name DROP NOT NULL;
INSERT INTO people VALUES (4, '', '1800-01-01', true);
INSERT INTO people VALUES (4, NULL, '1800-01-01', DEFAULT);
SHOW CREATE TABLE people;
SELECT * FROM people;
---
error: InvalidInput, table `people`, column `birthday`: table `people`: row /2: column `birthday` would be NOT NULL and is NULL
error: InvalidInput, table `people`, constraint `grown`
ALTER TABLE
ALTER TABLE
ALTER TABLE
error: InvalidInput, table `people`, constraint `has_name`
INSERT 1
+--------+---------------------------------------------+
| table  | statement                                   |
+--------+---------------------------------------------+
| people | CREATE TABLE people (                       |
|        |     id INT NOT NULL,                        |
|        |     name TEXT,                              |
|        |     birthday DATE,                          |
|        |     active BOOLEAN NOT NULL DEFAULT false,  |
|        |     CONSTRAINT has_name CHECK (name <> ''), |
|        |     PRIMARY KEY (id)                        |
|        | )                                           |
+--------+---------------------------------------------+
+----+------+------------+--------+
| id | name | birthday   | active |
+----+------+------------+--------+
| 1  | Ann  | 1990-05-01 | true   |
| 2  | Bob  |            | true   |
| 3  | Cy   |            | false  |
| 4  |      | 1800-01-01 | false  |
+----+------+------------+--------+

ALTER TABLE people DROP COLUMN id;
ALTER TABLE people ALTER COLUMN name SET DATA TYPE INT;
ALTER TABLE people ADD COLUMN first INT FIRST;
ALTER TABLE people ADD FOREIGN KEY (id) REFERENCES people (id);
ALTER TABLE people DROP PRIMARY KEY;
ALTER TABLE nosuch RENAME TO other;
---
error: NotSupported, table `people`, column `id`: table `people`: column `id` is part of the row key, so it cannot be dropped: make a table with another key and INSERT … SELECT
error: NotSupported, table `people`: table `people`: ALTER COLUMN name TYPE
error: NotSupported, table `people`: table `people`: ALTER TABLE … ADD COLUMN first INT FIRST
error: NotSupported, table `people`: table `people`: ALTER TABLE … ADD FOREIGN KEY (id) REFERENCES people(id)
error: NotSupported, table `people`: table `people`: ALTER TABLE … DROP PRIMARY KEY
error: InvalidInput, table `nosuch`

