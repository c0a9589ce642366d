CREATE TABLE reading (host TEXT, ts TIMESTAMP(3), usage DOUBLE, PRIMARY KEY (host, ts));
INSERT INTO reading VALUES ('a', '2024-01-01 10:00', 0.5), ('a', '2024-01-02 10:00', 0.95),
    ('b', '2024-01-01 10:00', 0.99);
CREATE VIEW busy AS
    -- what is nearly full
    SELECT host, ts, usage FROM reading WHERE usage > 0.9;
CREATE VIEW busy_days (host, day) AS SELECT host, CAST(ts AS DATE) FROM busy;
---
CREATE TABLE
INSERT 3
CREATE VIEW
CREATE VIEW

SELECT * FROM busy ORDER BY host;
SELECT * FROM busy_days ORDER BY host;
---
+------+---------------------+-------+
| host | ts                  | usage |
+------+---------------------+-------+
| a    | 2024-01-02T10:00:00 | 0.95  |
| b    | 2024-01-01T10:00:00 | 0.99  |
+------+---------------------+-------+
+------+------------+
| host | day        |
+------+------------+
| a    | 2024-01-02 |
| b    | 2024-01-01 |
+------+------------+

EXPLAIN KEYS SELECT * FROM busy_days WHERE host = 'a' AND day = DATE '2024-01-02';
---
reading AS busy_days range /a/2024-01-02T00:00:00.000 .. /a/2024-01-02T23:59:59.999  6100018000018cc7785000..6100018000018ccc9eac  residual: usage > 0.9 (usage is not in the row key)

SHOW TABLES;
---
+-----------+
| table     |
+-----------+
| busy      |
| busy_days |
| reading   |
+-----------+

SHOW CREATE VIEW busy;
SHOW CREATE VIEW busy_days;
DESCRIBE busy_days;
---
+------+-------------------------------------------------------+
| view | statement                                             |
+------+-------------------------------------------------------+
| busy | CREATE VIEW busy AS                                   |
|      | SELECT host, ts, usage FROM reading WHERE usage > 0.9 |
+------+-------------------------------------------------------+
+-----------+-----------------------------------------+
| view      | statement                               |
+-----------+-----------------------------------------+
| busy_days | CREATE VIEW busy_days (host, day) AS    |
|           | SELECT host, CAST(ts AS DATE) FROM busy |
+-----------+-----------------------------------------+
+--------+------+-------+
| column | type | null  |
+--------+------+-------+
| host   | TEXT | false |
| day    | DATE | false |
+--------+------+-------+

DROP TABLE reading;
---
error: Conflict: `reading` cannot be dropped: views `busy`, `busy_days` read it; say CASCADE to drop all of them

DROP VIEW busy;
---
error: Conflict

INSERT INTO busy VALUES ('c', '2024-01-01', 1);
---
error: InvalidInput: `busy` is a view, not a table: rows are changed in what it reads, `reading`; DROP VIEW drops it

DELETE FROM busy;
---
error: InvalidInput

CREATE VIEW busy AS SELECT 1 AS one;
---
error: Conflict

CREATE OR REPLACE VIEW busy AS SELECT host, ts FROM busy_days;
---
error: InvalidInput, column `ts`

CREATE OR REPLACE VIEW busy AS SELECT ts, host FROM reading WHERE usage > 0.96;
SELECT * FROM busy_days;
---
error: Conflict, column `usage`
+------+------------+
| host | day        |
+------+------------+
| a    | 2024-01-02 |
| b    | 2024-01-01 |
+------+------------+

DROP VIEW reading;
---
error: InvalidInput

DROP VIEW IF EXISTS missing;
DROP VIEW missing;
---
DROP VIEW
error: InvalidInput

DROP TABLE reading CASCADE;
SHOW TABLES;
---
DROP TABLE
+-------+
| table |
+-------+
+-------+

