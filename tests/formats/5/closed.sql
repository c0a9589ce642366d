-- What the first process writes before it closes the database in order: what definitions of format 4 cannot say.

-- Two dictionaries: a text that is empty, one of a single row, NULL, and texts whose rows are gone.
CREATE TABLE metric (
    name TEXT, host VARCHAR(12) NULL, ts TIMESTAMP(3), v DOUBLE,
    PRIMARY KEY (dict(name), dict(host) DESC, ts DESC)
);
INSERT INTO metric VALUES
    ('cpu.user', 'web-1', '2024-01-01 00:00:00.125', 0.5),
    ('cpu.user', 'ä', '2024-01-02', NULL),
    ('', '', '1969-12-31', 'NaN'),
    ('mem', NULL, '2024-01-01', 1),
    ('gone', 'gone', '2024-01-01', 2);
DELETE FROM metric WHERE name = 'gone';
INSERT INTO metric VALUES ('later', 'web-1', '2024-01-01', 3);

-- Behind a salt and beside families; by a text that stands in the key again.
CREATE TABLE salted (a TEXT, b INT, c TEXT, PRIMARY KEY (salt(4), dict(a), b)) WITH (families = 'apart(c)');
INSERT INTO salted VALUES ('x', 1, 'c'), ('y', 1, NULL), ('x', 2, 'd');
CREATE TABLE twice (a TEXT PRIMARY KEY, b INT);
CREATE TABLE renamed (was TEXT, b INT, PRIMARY KEY (left(was, 1), dict(was), b));
INSERT INTO renamed VALUES ('one', 1), ('two', 2), ('three', 3);
ALTER TABLE renamed RENAME COLUMN was TO "is Now";
INSERT INTO twice SELECT "is Now", b FROM renamed;

CREATE TABLE dropped (a TEXT, PRIMARY KEY (dict(a)));
INSERT INTO dropped VALUES ('a');
DROP TABLE dropped;
CREATE TABLE emptied (a TEXT, PRIMARY KEY (dict(a)));
INSERT INTO emptied VALUES ('before');
TRUNCATE TABLE emptied;
INSERT INTO emptied VALUES ('after');
CREATE TABLE empty (a INT, b TEXT, PRIMARY KEY (dict(b), a));
