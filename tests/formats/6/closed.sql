-- What the first process writes before it closes the database in order: what definitions of format 5 cannot say.

-- A text, numbers behind a salt, times downward, several values, a constant, and a part that is computed.
CREATE TABLE by_name (a TEXT, b INT, PRIMARY KEY (a)) SPLIT ('m', 'b');
INSERT INTO by_name VALUES ('a', 1), ('b', 2), ('lzz', 3), ('m', 4), ('z', 5);
CREATE TABLE salted (b BIGINT, c TEXT, PRIMARY KEY (salt(2), b)) SPLIT (100, -1) WITH (families = 'apart(c)');
INSERT INTO salted VALUES (-2, 'x'), (-1, NULL), (99, 'y'), (100, 'z');
CREATE TABLE newest (ts TIMESTAMP(3), a TEXT NULL, PRIMARY KEY (ts DESC, a)) SPLIT ((TIMESTAMP '2024-01-01 12:00:00', 'it''s'), '2023-01-01');
INSERT INTO newest VALUES ('2024-01-01 12:00:00', 'it''s'), ('2024-01-01 12:00:00', NULL), ('2022-01-01', 'a');
CREATE TABLE hourly (ts TIMESTAMP(0), k INT, PRIMARY KEY ('h', date_trunc('hour', ts), k, ts)) SPLIT ('2024-01-01 01:30:00');
INSERT INTO hourly VALUES ('2024-01-01 00:59:59', 1), ('2024-01-01 01:00:00', 1);
CREATE TABLE alike LIKE by_name;
ALTER TABLE alike RENAME COLUMN a TO "is Now";
INSERT INTO alike VALUES ('k', 1);
CREATE TABLE emptied LIKE salted;
INSERT INTO emptied VALUES (1, 'before');
TRUNCATE TABLE emptied;
INSERT INTO emptied VALUES (2, 'after');
CREATE TABLE empty (a INT, b TEXT, PRIMARY KEY (b, a)) SPLIT ('m', ('a', 5));
