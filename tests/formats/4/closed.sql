-- What the first process writes before it closes the database in order: what definitions of format 3 cannot say.

-- Columns that are kept apart: fixed and variable, NULL, some in no family.
CREATE TABLE metrics (
    host TEXT NULL, ts TIMESTAMP(3), cpu DOUBLE, mem REAL, payload TEXT, tags MAP(TEXT, TEXT), note TEXT,
    PRIMARY KEY (salt(4), host, ts DESC)
) WITH (families = 'numbers(cpu, mem) raw(payload, tags)');
INSERT INTO metrics VALUES
    ('web-1', '2024-01-01 00:00:00.125', 0.5, 1.25, 'ä', MAP {'a': 'b'}, 'n'),
    ('web-1', '2024-01-02', NULL, 'NaN', NULL, NULL, NULL),
    (NULL, '1969-12-31', -0.0, 0, '', MAP {}, ''),
    ('gone', '2024-01-01', 1, 1, 'x', NULL, 'y');
DELETE FROM metrics WHERE host = 'gone';

-- All of them in families, and one that has lost its columns.
CREATE TABLE wide (a INT PRIMARY KEY, b INT, c TEXT, "D d" INT) WITH (families = 'one(b) "Two 2"(c, "D d") three()');
INSERT INTO wide VALUES (1, 10, 'c', 100), (-1, NULL, NULL, NULL);
ALTER TABLE wide DROP COLUMN b;
ALTER TABLE wide ADD COLUMN e INT DEFAULT 5;
ALTER TABLE wide RENAME COLUMN c TO renamed;
INSERT INTO wide VALUES (2, 'later', 200, 6);

CREATE TABLE numbered (v TEXT, w TEXT) WITH (families = 'apart(w)');
INSERT INTO numbered VALUES ('a', 'b'), ('c', 'd');
CREATE TABLE dropped (a INT PRIMARY KEY, b INT) WITH (families = 'apart(b)');
INSERT INTO dropped VALUES (1, 1);
DROP TABLE dropped;
CREATE TABLE emptied (a INT PRIMARY KEY, b INT) WITH (families = 'apart(b)');
INSERT INTO emptied VALUES (1, 1);
TRUNCATE TABLE emptied;
INSERT INTO emptied VALUES (2, 2);
CREATE TABLE empty (a INT PRIMARY KEY, b TEXT) WITH (families = 'apart(b)');
