-- What the first process writes before it closes the database in order: what definitions of format 1 cannot say.

-- Types that are new: ascending, descending, and under each marker that a part which can be NULL begins with.
CREATE TABLE tinyints (
    a TINYINT, b TINYINT, c TINYINT NULL, d TINYINT NULL, e TINYINT NULL, f TINYINT NULL, v TINYINT,
    PRIMARY KEY (a, b DESC, c, d DESC, e NULLS FIRST, f DESC NULLS LAST)
);
INSERT INTO tinyints VALUES (-128, -128, -128, -128, -128, -128, -128), (-1, -1, -1, -1, -1, -1, -1), (0, 0, 0, 0, 0, 0, 0),
    (127, 127, 127, 127, 127, 127, 127), (7, 7, NULL, NULL, NULL, NULL, NULL);

CREATE TABLE naturals (
    a TINYINT UNSIGNED, b SMALLINT UNSIGNED, c INT UNSIGNED NULL, d BIGINT UNSIGNED NULL, v TINYINT UNSIGNED,
    w SMALLINT UNSIGNED, x INT UNSIGNED, y BIGINT UNSIGNED,
    PRIMARY KEY (a, b DESC, c, d DESC)
);
INSERT INTO naturals VALUES (0, 0, 0, 0, 0, 0, 0, 0), (1, 258, 66051, 283686952306183, 1, 258, 66051, 283686952306183),
    (255, 65535, 4294967295, 18446744073709551615, 255, 65535, 4294967295, 18446744073709551615),
    (7, 7, NULL, NULL, NULL, NULL, NULL, NULL);

CREATE TABLE reals (a REAL, b REAL, c REAL NULL, d REAL NULL, v REAL, PRIMARY KEY (a, b DESC, c NULLS FIRST, d DESC));
INSERT INTO reals VALUES ('-inf', '-inf', '-inf', '-inf', '-inf'), ('-1.5', '-1.5', '-1.5', '-1.5', '-1.5'),
    ('-0.0', '-0.0', '-0.0', '-0.0', '-0.0'), ('1e-45', '1e-45', '1e-45', '1e-45', '1e-45'),
    ('0.1', '0.1', '0.1', '0.1', '0.1'), ('inf', 'inf', 'inf', 'inf', 'inf'), ('NaN', 'NaN', NULL, NULL, NULL);

CREATE TABLE uuids (a UUID, b UUID, c UUID NULL, v UUID, PRIMARY KEY (a, b DESC, c));
INSERT INTO uuids VALUES
    ('f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'),
    ('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', NULL, NULL);

-- What is hashed of them.
CREATE TABLE hashed (a INT UNSIGNED, b BIGINT UNSIGNED, c UUID, PRIMARY KEY (salt(16), hash(a), hash(b, c), a, b, c));
INSERT INTO hashed VALUES (7, 7, '00000000-0000-0000-0000-000000000007'),
    (4294967295, 18446744073709551615, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
CREATE TABLE coarse (a TINYINT, b INT UNSIGNED, PRIMARY KEY (b / 100, b % 10, reverse_digits(b), a));
INSERT INTO coarse VALUES (1, 12345), (2, 4294967295), (3, 0);

CREATE TABLE times (id INT PRIMARY KEY, t TIME, i INTERVAL, j JSON);
INSERT INTO times VALUES (1, '00:00:00', INTERVAL '-1 month 2 days 3.000000004 seconds', '{"a": [1, 2.50, null]}'),
    (2, '23:59:59.999999999', INTERVAL '90 minutes', '"x"'), (3, NULL, NULL, NULL);

-- Values in values: of every type, of none, and NULL.
CREATE TABLE nested (
    id INT PRIMARY KEY, numbers INT[], texts TEXT[], lists SMALLINT[][], point STRUCT<x TINYINT UNSIGNED, y DOUBLE, z UUID>,
    points STRUCT<a DECIMAL(20, 2), b DECIMAL(5, 1), c TIMESTAMP(3), d DATE, e BOOLEAN, f BYTEA>[], counts MAP(TEXT, BIGINT),
    deep MAP(INT, STRUCT<l TIME[], i INTERVAL, j JSON>)
);
INSERT INTO nested VALUES
    (1, [1, NULL, -1], ['a', '', NULL, 'ü'], [[1], [], NULL, [2, 3]],
     {'x': 255, 'y': -0.5, 'z': 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'},
     [{'a': 1.25, 'b': 2.5, 'c': '2024-01-31 10:00:00.125', 'd': '2024-02-29', 'e': true, 'f': X'00ff'}, NULL],
     MAP {'k': 1, 'l': NULL}, MAP {7: {'l': ['01:02:03', NULL], 'i': INTERVAL '1 day', 'j': '[]'}}),
    (2, [], [], [], NULL, [], MAP {}, NULL),
    (3, NULL, NULL, NULL, '{"x": null}', NULL, NULL, NULL),
    (4, [1, 2, 3, 4, 5, 6, 7, 8, 9], NULL, NULL, NULL, NULL, NULL, NULL);

-- Without a key, with DEFAULT and CHECK, and columns that come and go.
CREATE TABLE keyless (a INT, b TEXT DEFAULT 'none' NOT NULL, CHECK (a <> 13));
INSERT INTO keyless VALUES (1, 'one'), (NULL, 'two');
INSERT INTO keyless (a) VALUES (3);

CREATE TABLE grown (id INT PRIMARY KEY, a INT, gone TEXT, b INT CONSTRAINT small CHECK (b < 100));
INSERT INTO grown VALUES (1, 10, 'gone', 11), (2, 20, NULL, 21);
ALTER TABLE grown DROP COLUMN gone;
ALTER TABLE grown ADD COLUMN c TEXT DEFAULT 'older';
ALTER TABLE grown ADD COLUMN d UUID DEFAULT 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6';
ALTER TABLE grown ADD COLUMN e INT[] DEFAULT [1, NULL];
ALTER TABLE grown RENAME COLUMN a TO renamed;
INSERT INTO grown VALUES (3, 30, 31, 'newer', NULL, [2]);

-- Numbers, what is computed, what is said.
CREATE SEQUENCE ids START WITH 100 INCREMENT BY 5 CACHE 1;
CREATE TABLE numbered (
    id INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, other BIGINT DEFAULT nextval('ids'), price DECIMAL(8, 2), count INT,
    total DECIMAL(12, 2) GENERATED ALWAYS AS (price * count) STORED, CHECK (total < 1000)
);
INSERT INTO numbered (price, count) VALUES (1.5, 2), (NULL, 3);
CREATE TABLE serial (n BIGSERIAL PRIMARY KEY, what TEXT);
INSERT INTO serial (what) VALUES ('first');
INSERT INTO serial VALUES (-5, 'given');
COMMENT ON TABLE numbered IS 'what was sold';
COMMENT ON COLUMN numbered.price IS 'it''s gross';
CREATE VIEW sold AS SELECT id, total FROM numbered WHERE total > 0;
CREATE VIEW sums (n, "Sum") AS SELECT count(*), sum(total) FROM sold;
COMMENT ON VIEW sold IS 'of numbered';
COMMENT ON SEQUENCE ids IS 'by fives';

CREATE TABLE empty (a INT, b TEXT, PRIMARY KEY (a));
