CREATE TABLE clock (
    id UUID PRIMARY KEY, at TIME, took INTERVAL, note JSON
);
INSERT INTO clock VALUES
    ('F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6', '05:06:07.25', INTERVAL '1 month 2 days 3.5 seconds', '{"a": [1, 2.50]}'),
    ('00000000000000000000000000000001', NULL, '90 minutes', NULL),
    ('urn:uuid:00000000-0000-0000-0000-0000000000ff', '23:59:59.999999999', NULL, 'null'::JSON);
SELECT * FROM clock;
SELECT at FROM clock WHERE id = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6';
SELECT at FROM clock WHERE id = 'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6'::UUID;
EXPLAIN KEYS SELECT at FROM clock WHERE id = UUID 'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6';
EXPLAIN KEYS SELECT at FROM clock WHERE id >= '00000000-0000-0000-0000-0000000000' AND id < '1';
EXPLAIN KEYS SELECT at FROM clock WHERE id LIKE '0000%';
EXPLAIN KEYS SELECT at FROM clock WHERE id = 'no uuid';
SELECT id FROM clock WHERE id < '1' ORDER BY id DESC;
SELECT * FROM keys('clock');
DESCRIBE clock;
---
CREATE TABLE
INSERT 3
+--------------------------------------+--------------------+--------------------------------+------------------+
| id                                   | at                 | took                           | note             |
+--------------------------------------+--------------------+--------------------------------+------------------+
| 00000000-0000-0000-0000-000000000001 |                    | 1 hours 30 mins                |                  |
| 00000000-0000-0000-0000-0000000000ff | 23:59:59.999999999 |                                | null             |
| f81d4fae-7dec-11d0-a765-00a0c91e6bf6 | 05:06:07.250       | 1 mons 2 days 3.500000000 secs | {"a": [1, 2.50]} |
+--------------------------------------+--------------------+--------------------------------+------------------+
+--------------+
| at           |
+--------------+
| 05:06:07.250 |
+--------------+
+--------------+
| at           |
+--------------+
| 05:06:07.250 |
+--------------+
clock point /f81d4fae-7dec-11d0-a765-00a0c91e6bf6  f81d4fae7dec11d0a76500a0c91e6bf6..f81d4fae7dec11d0a76500a0c91e6bf7  tight
clock range /00000000-0000-0000-0000-0000000000 .. /1)  00000000000000000000000000000000..10  tight
clock range /0000*  00000000000000000000000000000000..0001  tight
clock empty   ..  tight
+--------------------------------------+
| id                                   |
+--------------------------------------+
| 00000000-0000-0000-0000-0000000000ff |
| 00000000-0000-0000-0000-000000000001 |
+--------------------------------------+
+--------------------------------------+----------------------------------+
| id                                   | row_key                          |
+--------------------------------------+----------------------------------+
| 00000000-0000-0000-0000-000000000001 | 00000000000000000000000000000001 |
| 00000000-0000-0000-0000-0000000000ff | 000000000000000000000000000000ff |
| f81d4fae-7dec-11d0-a765-00a0c91e6bf6 | f81d4fae7dec11d0a76500a0c91e6bf6 |
+--------------------------------------+----------------------------------+
+--------+----------+-------+-------+---------+--------+
| column | type     | null  | key   | default | checks |
+--------+----------+-------+-------+---------+--------+
| id     | UUID     | false | 1: id |         |        |
| at     | TIME     | true  |       |         |        |
| took   | INTERVAL | true  |       |         |        |
| note   | JSON     | true  |       |         |        |
+--------+----------+-------+-------+---------+--------+

INSERT INTO clock VALUES ('no uuid', NULL, NULL, NULL);
INSERT INTO clock VALUES (uuid(), '25:00', NULL, NULL);
INSERT INTO clock VALUES (uuid(), 5, NULL, NULL);
INSERT INTO clock VALUES (uuid(), NULL, 'soon', NULL);
INSERT INTO clock VALUES (uuid(), NULL, NULL, '{a: 1}');
INSERT INTO clock SELECT id || 'x', NULL, NULL, NULL FROM clock;
INSERT INTO clock VALUES ('00000000-0000-0000-0000-000000000001', NULL, NULL, NULL);
SELECT CAST('x' AS UUID);
SELECT '{'::JSON;
SELECT TRY_CAST('x' AS UUID) AS a, TRY_CAST('{' AS JSON) AS b, CAST('{}' AS JSON) AS c;
CREATE TABLE wrong (a JSON PRIMARY KEY);
CREATE TABLE wrong (a TIME, b INT, PRIMARY KEY (bucket(4, a), b));
CREATE TABLE wrong (a INT[], PRIMARY KEY (hash(a)));
---
error: InvalidInput, table `clock`, column `id`: row 1: table `clock`: column `id` of type UUID cannot hold 'no uuid': it is no UUID
error: InvalidInput, table `clock`, column `at`
error: InvalidInput, table `clock`, column `at`
error: InvalidInput, table `clock`, column `took`
error: InvalidInput, table `clock`, column `note`
error: InvalidInput, table `clock`, column `id`
error: Conflict, table `clock`, constraint `PRIMARY KEY`: row 1: table `clock`: a row with (id = '00000000-0000-0000-0000-000000000001') is there already, under the row key /00000000-0000-0000-0000-000000000001
error: InvalidInput
error: InvalidInput
+---+---+----+
| a | b | c  |
+---+---+----+
|   |   | {} |
+---+---+----+
error: InvalidInput, table `wrong`, column `a`
error: InvalidInput, table `wrong`, column `a`
error: InvalidInput, table `wrong`, column `a`

CREATE TABLE nest (
    id INT PRIMARY KEY, numbers INT[], texts LIST(TEXT), point STRUCT<x INT, y DOUBLE>, counts MAP(TEXT, INT),
    deep STRUCT<name TEXT, tags TEXT[], at TIMESTAMP(3)>[]
);
SHOW CREATE TABLE nest;
DESCRIBE nest;
INSERT INTO nest VALUES
    (1, [1, 2, NULL], ['a', 'ü'], {'x': 1, 'y': 2.5}, MAP {'a': 1, 'b': NULL},
     [{'name': 'n', 'tags': ['t', 'u'], 'at': '2024-01-31T10:00:00'}, NULL]),
    (2, [], NULL, NULL, NULL, NULL),
    (3, NULL, [], {'x': NULL, 'y': -0.0}, MAP {}, []),
    (4, '[7, 8]', '["x", null]', '{"x": 5}', '{"k": 6}', '[{"name": "j"}]');
SELECT * FROM nest;
SELECT id, numbers[1], cardinality(texts), point['x'], map_extract(counts, 'a') FROM nest ORDER BY id DESC;
SELECT id, unnest(numbers) FROM nest WHERE id < 3;
SELECT id FROM nest WHERE array_has(numbers, 2);
UPDATE nest SET numbers = array_append(numbers, 9) WHERE id = 1;
SELECT numbers FROM nest WHERE id = 1;
ALTER TABLE nest ADD COLUMN more INT[] DEFAULT [1];
ALTER TABLE nest DROP COLUMN texts;
SELECT id, numbers, more FROM nest;
CREATE TABLE nest_copy AS SELECT * FROM nest;
SELECT count(*) FROM nest_copy JOIN nest USING (id) WHERE nest.numbers IS NOT DISTINCT FROM nest_copy.numbers;
---
CREATE TABLE
+-------+-------------------------------------------------------------+
| table | statement                                                   |
+-------+-------------------------------------------------------------+
| nest  | CREATE TABLE nest (                                         |
|       |     id INT NOT NULL,                                        |
|       |     numbers INT[],                                          |
|       |     texts TEXT[],                                           |
|       |     point STRUCT<x INT, y DOUBLE>,                          |
|       |     counts MAP(TEXT, INT),                                  |
|       |     deep STRUCT<name TEXT, tags TEXT[], at TIMESTAMP(3)>[], |
|       |     PRIMARY KEY (id)                                        |
|       | )                                                           |
+-------+-------------------------------------------------------------+
+---------+---------------------------------------------------+-------+-------+---------+--------+
| column  | type                                              | null  | key   | default | checks |
+---------+---------------------------------------------------+-------+-------+---------+--------+
| id      | INT                                               | false | 1: id |         |        |
| numbers | INT[]                                             | true  |       |         |        |
| texts   | TEXT[]                                            | true  |       |         |        |
| point   | STRUCT<x INT, y DOUBLE>                           | true  |       |         |        |
| counts  | MAP(TEXT, INT)                                    | true  |       |         |        |
| deep    | STRUCT<name TEXT, tags TEXT[], at TIMESTAMP(3)>[] | true  |       |         |        |
+---------+---------------------------------------------------+-------+-------+---------+--------+
INSERT 4
+----+----------+--------+----------------+-------------+------------------------------------------------------+
| id | numbers  | texts  | point          | counts      | deep                                                 |
+----+----------+--------+----------------+-------------+------------------------------------------------------+
| 1  | [1, 2, ] | [a, ü] | {x: 1, y: 2.5} | {a: 1, b: } | [{name: n, tags: [t, u], at: 2024-01-31T10:00:00}, ] |
| 2  | []       |        |                |             |                                                      |
| 3  |          | []     | {x: , y: 0.0}  | {}          | []                                                   |
| 4  | [7, 8]   | [x, ]  | {x: 5, y: }    | {k: 6}      | [{name: j, tags: , at: }]                            |
+----+----------+--------+----------------+-------------+------------------------------------------------------+
+----+------------+--------------------+------------+--------------------------+
| id | numbers[1] | cardinality(texts) | point['x'] | map_extract(counts, 'a') |
+----+------------+--------------------+------------+--------------------------+
| 4  | 7          | 2                  | 5          | []                       |
| 3  |            | 0                  |            | []                       |
| 2  |            |                    |            | []                       |
| 1  | 1          | 2                  | 1          | [1]                      |
+----+------------+--------------------+------------+--------------------------+
+----+-----------------+
| id | unnest(numbers) |
+----+-----------------+
| 1  | 1               |
| 1  | 2               |
| 1  |                 |
+----+-----------------+
+----+
| id |
+----+
| 1  |
+----+
UPDATE 1
+-------------+
| numbers     |
+-------------+
| [1, 2, , 9] |
+-------------+
ALTER TABLE
ALTER TABLE
+----+-------------+------+
| id | numbers     | more |
+----+-------------+------+
| 1  | [1, 2, , 9] | [1]  |
| 2  | []          | [1]  |
| 3  |             | [1]  |
| 4  | [7, 8]      | [1]  |
+----+-------------+------+
warning: table `nest_copy`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE 4
+----------+
| count(*) |
+----------+
| 4        |
+----------+

INSERT INTO nest (id, numbers) VALUES (9, [3000000000]);
INSERT INTO nest (id, numbers) VALUES (9, 5);
INSERT INTO nest (id, numbers) VALUES (9, '[1');
INSERT INTO nest (id, point) VALUES (9, '{"z": 1}');
CREATE TABLE wrong (a STRUCT<a INT, a INT>);
CREATE TABLE short (a VARCHAR(2)[], b UUID[], c JSON[]);
INSERT INTO short VALUES (['ab', 'abc'], NULL, NULL);
INSERT INTO short VALUES (NULL, ['x'], NULL);
INSERT INTO short VALUES (NULL, NULL, ['{']);
INSERT INTO short VALUES (['ab'], ['F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6'], ['{}']);
SELECT * FROM short;
---
error: InvalidInput, table `nest`, column `numbers`
error: InvalidInput, table `nest`, column `numbers`
error: InvalidInput, table `nest`, column `numbers`
error: InvalidInput, table `nest`, column `point`
error: InvalidInput, table `wrong`, column `a`
warning: table `short`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE
error: InvalidInput, table `short`, column `a`
error: InvalidInput, table `short`, column `b`
error: InvalidInput, table `short`, column `c`
INSERT 1
+------+----------------------------------------+------+
| a    | b                                      | c    |
+------+----------------------------------------+------+
| [ab] | [f81d4fae-7dec-11d0-a765-00a0c91e6bf6] | [{}] |
+------+----------------------------------------+------+

CREATE TABLE natural (a TINYINT UNSIGNED, b SMALLINT UNSIGNED, c INT UNSIGNED, d BIGINT UNSIGNED, e TINYINT, f REAL,
    PRIMARY KEY (c, d DESC));
INSERT INTO natural VALUES
    (255, 65535, 4294967295, 18446744073709551615, -128, 0.1), (0, 0, 0, 0, 127, 'NaN'), (1, 2, 3, 9223372036854775808, 5, -0.0);
INSERT INTO natural VALUES (-1, 0, 1, 1, 0, 0);
INSERT INTO natural VALUES (256, 0, 1, 1, 0, 0);
INSERT INTO natural VALUES (0, 0, 1, -1, 0, 0);
SELECT * FROM natural;
SELECT count(*) FROM natural WHERE c > -1;
SELECT count(*) FROM natural WHERE c < -1;
SELECT count(*) FROM natural WHERE c = -1 OR c IN (-1, 3);
SELECT count(*) FROM natural WHERE NOT c = -1;
SELECT count(*) FROM natural WHERE c <= 99999999999;
SELECT count(*) FROM natural WHERE c = 3 AND d = 9223372036854775808;
SELECT count(*) FROM natural WHERE c = 3.5 OR c BETWEEN -5 AND 0.5;
SELECT c - 1 FROM natural;
EXPLAIN KEYS SELECT * FROM natural WHERE c > -1;
EXPLAIN KEYS SELECT * FROM natural WHERE c = -1;
EXPLAIN KEYS SELECT * FROM natural WHERE c = 3 AND d > 18446744073709551615;
EXPLAIN KEYS SELECT * FROM natural WHERE c = 3 AND d >= 9223372036854775807;
SELECT * FROM keys('natural');
DESCRIBE natural;
---
CREATE TABLE
INSERT 3
error: InvalidInput, table `natural`, column `a`
error: InvalidInput, table `natural`, column `a`
error: InvalidInput, table `natural`, column `d`
+-----+-------+------------+----------------------+------+-----+
| a   | b     | c          | d                    | e    | f   |
+-----+-------+------------+----------------------+------+-----+
| 0   | 0     | 0          | 0                    | 127  | NaN |
| 1   | 2     | 3          | 9223372036854775808  | 5    | 0.0 |
| 255 | 65535 | 4294967295 | 18446744073709551615 | -128 | 0.1 |
+-----+-------+------------+----------------------+------+-----+
+----------+
| count(*) |
+----------+
| 3        |
+----------+
+----------+
| count(*) |
+----------+
| 0        |
+----------+
+----------+
| count(*) |
+----------+
| 1        |
+----------+
+----------+
| count(*) |
+----------+
| 3        |
+----------+
+----------+
| count(*) |
+----------+
| 3        |
+----------+
+----------+
| count(*) |
+----------+
| 1        |
+----------+
+----------+
| count(*) |
+----------+
| 1        |
+----------+
+------------+
| c - 1      |
+------------+
| -1         |
| 2          |
| 4294967294 |
+------------+
natural full /*  ..  tight
 empty   ..  tight
 empty   ..  tight
natural range /3/* .. /3/9223372036854775807  00000003..000000038000000000000001  tight
+------------+----------------------+--------------------------+
| c          | d                    | row_key                  |
+------------+----------------------+--------------------------+
| 0          | 0                    | 00000000ffffffffffffffff |
| 3          | 9223372036854775808  | 000000037fffffffffffffff |
| 4294967295 | 18446744073709551615 | ffffffff0000000000000000 |
+------------+----------------------+--------------------------+
+--------+-------------------+-------+-----------+---------+--------+
| column | type              | null  | key       | default | checks |
+--------+-------------------+-------+-----------+---------+--------+
| a      | TINYINT UNSIGNED  | true  |           |         |        |
| b      | SMALLINT UNSIGNED | true  |           |         |        |
| c      | INT UNSIGNED      | false | 1: c      |         |        |
| d      | BIGINT UNSIGNED   | false | 2: d DESC |         |        |
| e      | TINYINT           | true  |           |         |        |
| f      | REAL              | true  |           |         |        |
+--------+-------------------+-------+-----------+---------+--------+

CREATE TABLE narrow (r REAL, u TINYINT UNSIGNED, n INT, PRIMARY KEY (bucket(4, u), r DESC, u));
INSERT INTO narrow VALUES (0.1, 1, 1), ('-inf', 2, 2), ('NaN', 3, 3), (16777216, 4, 4), (-0.0, 5, 5);
SELECT * FROM narrow ORDER BY r;
SELECT n FROM narrow WHERE r = 0.1;
SELECT n FROM narrow WHERE CAST(r AS DOUBLE) = 0.1e0;
SELECT n FROM narrow WHERE r = 0 AND u = 5;
SELECT n FROM narrow WHERE r > 1e300;
SELECT n FROM narrow WHERE r <= -1e300;
EXPLAIN KEYS SELECT n FROM narrow WHERE u = 1 AND r = 0.1;
EXPLAIN KEYS SELECT n FROM narrow WHERE u = 1 AND r < 0.1e0;
---
CREATE TABLE
INSERT 5
+------------+---+---+
| r          | u | n |
+------------+---+---+
| -inf       | 2 | 2 |
| 0.0        | 5 | 5 |
| 0.1        | 1 | 1 |
| 16777216.0 | 4 | 4 |
| NaN        | 3 | 3 |
+------------+---+---+
+---+
| n |
+---+
| 1 |
+---+
++
++
+---+
| n |
+---+
| 5 |
+---+
+---+
| n |
+---+
| 3 |
+---+
+---+
| n |
+---+
| 2 |
+---+
narrow point [3] /3/0.10000000149011612/1  034233333201..034233333202  tight
narrow walk [3] /3/*..0.1)/1  034233333301..04  tight

SELECT c - c FROM natural WHERE c = 3;
SELECT c + c FROM natural WHERE c > 4000000000;
SELECT a * a FROM natural WHERE a = 255;
SELECT min(c), max(d), sum(c), avg(a) FROM natural;
SELECT t.c, u.n FROM natural AS t JOIN narrow AS u ON t.c = u.u ORDER BY 1;
COPY nest TO '/dev/null' (FORMAT csv);
---
+-------+
| c - c |
+-------+
| 0     |
+-------+
error: InvalidInput
error: InvalidInput
+--------+----------------------+------------+-------------------+
| min(c) | max(d)               | sum(c)     | avg(a)            |
+--------+----------------------+------------+-------------------+
| 0      | 18446744073709551615 | 4294967298 | 85.33333333333333 |
+--------+----------------------+------------+-------------------+
+---+---+
| c | n |
+---+---+
| 3 | 3 |
+---+---+
COPY 4

