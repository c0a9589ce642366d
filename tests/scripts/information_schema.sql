CREATE TABLE reading (host VARCHAR(20), ts TIMESTAMP(3), usage DOUBLE, cost DECIMAL(10, 2), PRIMARY KEY (bucket(4, host), host, ts DESC));
CREATE VIEW busy AS SELECT host, usage * 100 AS percent FROM reading;
CREATE TEMP TABLE chosen (n BIGINT, PRIMARY KEY (n));
CREATE SEQUENCE ids START WITH 10;
---
CREATE TABLE
CREATE VIEW
CREATE TABLE
CREATE SEQUENCE

SELECT table_schema, table_name, table_type FROM information_schema.tables ORDER BY 1, 2;
---
+--------------+------------+-----------------+
| table_schema | table_name | table_type      |
+--------------+------------+-----------------+
| public       | busy       | VIEW            |
| public       | reading    | BASE TABLE      |
| temp         | chosen     | LOCAL TEMPORARY |
+--------------+------------+-----------------+

SELECT table_name, column_name, ordinal_position AS at, is_nullable AS nullable, data_type FROM information_schema.columns
ORDER BY table_name, at;
---
+------------+-------------+----+----------+----------------+
| table_name | column_name | at | nullable | data_type      |
+------------+-------------+----+----------+----------------+
| busy       | host        | 1  | NO       | TEXT           |
| busy       | percent     | 2  | YES      | DOUBLE         |
| chosen     | n           | 1  | NO       | BIGINT         |
| reading    | host        | 1  | NO       | VARCHAR(20)    |
| reading    | ts          | 2  | NO       | TIMESTAMP(3)   |
| reading    | usage       | 3  | YES      | DOUBLE         |
| reading    | cost        | 4  | YES      | DECIMAL(10, 2) |
+------------+-------------+----+----------+----------------+

SELECT column_name, character_maximum_length, numeric_precision, numeric_scale, datetime_precision
FROM information_schema.columns WHERE table_name = 'reading' ORDER BY ordinal_position;
---
+-------------+--------------------------+-------------------+---------------+--------------------+
| column_name | character_maximum_length | numeric_precision | numeric_scale | datetime_precision |
+-------------+--------------------------+-------------------+---------------+--------------------+
| host        | 20                       |                   |               |                    |
| ts          |                          |                   |               | 3                  |
| usage       |                          |                   |               |                    |
| cost        |                          | 10                | 2             |                    |
+-------------+--------------------------+-------------------+---------------+--------------------+

SELECT table_name, view_definition FROM information_schema.views;
---
+------------+--------------------------------------------------+
| table_name | view_definition                                  |
+------------+--------------------------------------------------+
| busy       | SELECT host, usage * 100 AS percent FROM reading |
+------------+--------------------------------------------------+

SELECT sequence_name, start_value, increment FROM information_schema.sequences;
---
+---------------+-------------+-----------+
| sequence_name | start_value | increment |
+---------------+-------------+-----------+
| ids           | 10          | 1         |
+---------------+-------------+-----------+

SELECT table_name, column_name, ordinal_position FROM information_schema.key_column_usage ORDER BY 1, 3;
SELECT constraint_name, constraint_type FROM information_schema.table_constraints ORDER BY 1;
---
+------------+-------------+------------------+
| table_name | column_name | ordinal_position |
+------------+-------------+------------------+
| chosen     | n           | 1                |
| reading    | host        | 1                |
| reading    | ts          | 2                |
+------------+-------------+------------------+
+-----------------+-----------------+
| constraint_name | constraint_type |
+-----------------+-----------------+
| chosen_pkey     | PRIMARY KEY     |
| reading_pkey    | PRIMARY KEY     |
+-----------------+-----------------+

SELECT schema_name FROM information_schema.schemata ORDER BY 1;
SELECT count(*) > 100 AS many FROM information_schema.df_settings;
SELECT count(*) > 100 AS many FROM information_schema.routines;
---
+--------------------+
| schema_name        |
+--------------------+
| information_schema |
| public             |
| temp               |
+--------------------+
+------+
| many |
+------+
| true |
+------+
+------+
| many |
+------+
| true |
+------+

SHOW halite.pushdown;
---
+-----------------+-------+
| name            | value |
+-----------------+-------+
| halite.pushdown | true  |
+-----------------+-------+

SELECT * FROM information_schema.missing;
---
error: InvalidInput, table `information_schema.missing`: there is no table `information_schema.missing`

CREATE TABLE note (written DATE CHECK (written > DATE '2000-01-01'), said TEXT, CONSTRAINT has_words CHECK (length(said) > 0));
SELECT constraint_name, table_name, constraint_type FROM information_schema.table_constraints WHERE table_name = 'note' ORDER BY 1;
SELECT constraint_name, check_clause FROM information_schema.check_constraints ORDER BY 1;
SELECT column_name FROM information_schema.key_column_usage WHERE table_name = 'note';
---
warning: table `note`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE
+--------------------+------------+-----------------+
| constraint_name    | table_name | constraint_type |
+--------------------+------------+-----------------+
| has_words          | note       | CHECK           |
| note_written_check | note       | CHECK           |
+--------------------+------------+-----------------+
+--------------------+-----------------------------+
| constraint_name    | check_clause                |
+--------------------+-----------------------------+
| has_words          | length(said) > 0            |
| note_written_check | written > DATE '2000-01-01' |
+--------------------+-----------------------------+
++
++

