CREATE TABLE t (id INT, d DATE, ts TIMESTAMP(3), name TEXT NULL, n INT NULL, PRIMARY KEY (id));
INSERT INTO t VALUES
    (1, '2024-01-31', '2024-01-31 10:00', 'a', 7),
    (2, '2024-02-29', '2024-02-29 23:59:59', 'b', 7),
    (3, '2024-12-31', '2024-12-31 00:00', NULL, 2),
    (4, '2023-03-01', '2023-03-01 12:30', 'b', NULL);
---
CREATE TABLE
INSERT 4

SELECT id FROM t WHERE ts = '2024-01-31 10:00';
SELECT id FROM t WHERE ts >= '2024-02-29T23:59' ORDER BY id;
SELECT TIMESTAMP '2024-01-01 10:00' AS a, CAST('2024-01-01 10:00Z' AS TIMESTAMPTZ) AS b, CAST(s AS TIMESTAMP) AS c
FROM (VALUES ('2024-01-01 10:00')) AS v (s);
---
+----+
| id |
+----+
| 1  |
+----+
+----+
| id |
+----+
| 2  |
| 3  |
+----+
+---------------------+----------------------+---------------------+
| a                   | b                    | c                   |
+---------------------+----------------------+---------------------+
| 2024-01-01T10:00:00 | 2024-01-01T10:00:00Z | 2024-01-01T10:00:00 |
+---------------------+----------------------+---------------------+

-- two rows of the key, no more
EXPLAIN KEYS SELECT id FROM t WHERE id IN (1, 2) AND year(ts) = 2024;
---
t range /1 .. /2  80000001..80000003  residual: date_part('YEAR', ts) = 2024 (ts is not in the row key)

SELECT 'u' || 7 % 5 AS a, 1 + 2 || 'x' AS b, 'a' || 'b' = 'ab' AS c, 'ab' LIKE 'a' || '%' AS d;
---
+----+----+------+------+
| a  | b  | c    | d    |
+----+----+------+------+
| u2 | 3x | true | true |
+----+----+------+------+

SELECT id, dayname(d), monthname(ts), last_day(d), strftime(d, '%d.%m.%y'), to_char(ts, 'DD.MM.YYYY HH24:MI')
FROM t ORDER BY id;
---
+----+------------+---------------+-------------+-------------------------+-----------------------------------+
| id | dayname(d) | monthname(ts) | last_day(d) | strftime(d, '%d.%m.%y') | to_char(ts, 'DD.MM.YYYY HH24:MI') |
+----+------------+---------------+-------------+-------------------------+-----------------------------------+
| 1  | Wednesday  | January       | 2024-01-31  | 31.01.24                | 31.01.2024 10:00                  |
| 2  | Thursday   | February      | 2024-02-29  | 29.02.24                | 29.02.2024 23:59                  |
| 3  | Tuesday    | December      | 2024-12-31  | 31.12.24                | 31.12.2024 00:00                  |
| 4  | Wednesday  | March         | 2023-03-31  | 01.03.23                | 01.03.2023 12:30                  |
+----+------------+---------------+-------------+-------------------------+-----------------------------------+

SELECT year(d) AS y, month(d) AS m, day(d) AS d, quarter(d) AS q, hour(ts) AS h, minute(ts) AS mi FROM t WHERE id = 2;
---
+------+---+----+---+----+----+
| y    | m | d  | q | h  | mi |
+------+---+----+---+----+----+
| 2024 | 2 | 29 | 1 | 23 | 59 |
+------+---+----+---+----+----+

SELECT date_add(d, INTERVAL '1 day') AS a, date_sub(d, INTERVAL '1 month') AS b, datediff('day', DATE '2024-01-01', d) AS c,
    datediff(d, DATE '2024-01-01') AS e FROM t WHERE id = 2;
---
+------------+------------+----+----+
| a          | b          | c  | e  |
+------------+------------+----+----+
| 2024-03-01 | 2024-01-29 | 59 | 59 |
+------------+------------+----+----+

SELECT d + INTERVAL '1 day' * n AS a, INTERVAL '1 hour' / 2 AS b, n // 2 AS c FROM t WHERE id = 1;
---
+------------+---------+---+
| a          | b       | c |
+------------+---------+---+
| 2024-02-07 | 30 mins | 3 |
+------------+---------+---+

SELECT if(n > 5, 'much', 'little') AS a, iff(n IS NULL, 0, n) AS b FROM t ORDER BY id;
---
+--------+---+
| a      | b |
+--------+---+
| much   | 7 |
| much   | 7 |
| little | 2 |
| little | 0 |
+--------+---+

SELECT mode(n) AS m, histogram(n) AS h, mode(name) AS s FROM t;
SELECT name, mode(n) AS m, histogram(id) AS h FROM t GROUP BY name ORDER BY name;
SELECT mode(n) AS m, histogram(n) AS h FROM t WHERE id > 9;
---
+---+--------------+---+
| m | h            | s |
+---+--------------+---+
| 7 | {2: 1, 7: 2} | b |
+---+--------------+---+
+------+---+--------------+
| name | m | h            |
+------+---+--------------+
| a    | 7 | {1: 1}       |
| b    | 7 | {2: 1, 4: 1} |
|      | 2 | {3: 1}       |
+------+---+--------------+
+---+---+
| m | h |
+---+---+
|   |   |
+---+---+

SELECT year(d, 1) FROM t;
---
error: InvalidInput: year takes 1 argument, not 2

-- names of the same list
SELECT id + 1 AS b, b * 2, b + 1 AS c, c + b AS d FROM t ORDER BY id;
SELECT n AS id, id + 1 AS e FROM t ORDER BY e;
SELECT upper(name) AS u FROM t WHERE u = 'B' ORDER BY id;
SELECT random() AS r, r * 2 FROM t;
SELECT nothing + 1 AS b, b FROM t;
SELECT x.b FROM (SELECT id AS b, b + 1 AS c FROM t) AS x JOIN (SELECT id AS b, b + 2 AS c FROM t) AS y ON x.b = y.b;
---
+---+-------+---+----+
| b | b * 2 | c | d  |
+---+-------+---+----+
| 2 | 4     | 3 | 5  |
| 3 | 6     | 4 | 7  |
| 4 | 8     | 5 | 9  |
| 5 | 10    | 6 | 11 |
+---+-------+---+----+
+----+---+
| id | e |
+----+---+
| 7  | 2 |
| 7  | 3 |
| 2  | 4 |
|    | 5 |
+----+---+
+---+
| u |
+---+
| B |
| B |
+---+
error: InvalidInput, column `r`
error: InvalidInput, column `nothing`
error: InvalidInput, column `b`

SET TIME ZONE 'Europe/Berlin';
SHOW TIME ZONE;
SELECT CAST('2024-07-01 12:00' AS TIMESTAMPTZ) AS at;
SET TIME ZONE 'UTC';
---
SET
+--------------------------------+---------------+
| name                           | value         |
+--------------------------------+---------------+
| datafusion.execution.time_zone | Europe/Berlin |
+--------------------------------+---------------+
+---------------------------+
| at                        |
+---------------------------+
| 2024-07-01T12:00:00+02:00 |
+---------------------------+
SET

SUMMARIZE t;
SUMMARIZE SELECT n, n * 0.5 AS half FROM t WHERE id < 4;
DESCRIBE SELECT id, ts, name || 'x' AS x, count(*) OVER () AS c FROM t;
---
+--------+--------------+---------------------+---------------------+---------------+-------------------+--------------------+------+-----+-----+-------+-----------------+
| column | type         | min                 | max                 | approx_unique | avg               | std                | q25  | q50 | q75 | count | null_percentage |
+--------+--------------+---------------------+---------------------+---------------+-------------------+--------------------+------+-----+-----+-------+-----------------+
| id     | INT          | 1                   | 4                   | 4             | 2.5               | 1.2909944487358056 | 1.5  | 2.5 | 3.5 | 4     | 0.0             |
| d      | DATE         | 2023-03-01          | 2024-12-31          | 4             |                   |                    |      |     |     | 4     | 0.0             |
| ts     | TIMESTAMP(3) | 2023-03-01T12:30:00 | 2024-12-31T00:00:00 | 4             |                   |                    |      |     |     | 4     | 0.0             |
| name   | TEXT         | a                   | b                   | 2             |                   |                    |      |     |     | 3     | 25.0            |
| n      | INT          | 2                   | 7                   | 2             | 5.333333333333333 | 2.8867513459481287 | 3.25 | 7.0 | 7.0 | 3     | 25.0            |
+--------+--------------+---------------------+---------------------+---------------+-------------------+--------------------+------+-----+-----+-------+-----------------+
+--------+---------------+-----+-----+---------------+--------------------+--------------------+-------+-----+-----+-------+-----------------+
| column | type          | min | max | approx_unique | avg                | std                | q25   | q50 | q75 | count | null_percentage |
+--------+---------------+-----+-----+---------------+--------------------+--------------------+-------+-----+-----+-------+-----------------+
| n      | INT           | 2   | 7   | 2             | 5.333333333333333  | 2.8867513459481287 | 3.25  | 7.0 | 7.0 | 3     | 0.0             |
| half   | DECIMAL(12,1) | 1.0 | 3.5 | 2             | 2.6666666666666665 | 1.4433756729740643 | 1.625 | 3.5 | 3.5 | 3     | 0.0             |
+--------+---------------+-----+-----+---------------+--------------------+--------------------+-------+-----+-----+-------+-----------------+
+--------+--------------+-------+
| column | type         | null  |
+--------+--------------+-------+
| id     | INT          | false |
| ts     | TIMESTAMP(3) | true  |
| x      | TEXT         | true  |
| c      | BIGINT       | false |
+--------+--------------+-------+

SELECT count(*) FROM t USING SAMPLE 100%;
SELECT count(*) FROM t USING SAMPLE 3 ROWS;
SELECT count(*) FROM (SELECT * FROM t USING SAMPLE reservoir(2 ROWS)) AS s;
SELECT count(*) FROM t TABLESAMPLE BERNOULLI (0);
SELECT count(*) FROM t AS a WHERE a.id > 0 USING SAMPLE 0%;
SELECT count(*) FROM t, t AS u USING SAMPLE 3;
SELECT count(*) FROM t USING SAMPLE 101%;
SELECT count(*) FROM t USING SAMPLE 10% REPEATABLE (7);
---
error: NotSupported: USING SAMPLE of several tables is not implemented; write FROM (SELECT … FROM …) AS t USING SAMPLE …

-- other forms
SELECT id FROM t ORDER BY id FETCH FIRST 2 ROWS ONLY;
SELECT id FROM t ORDER BY id OFFSET 1 ROW FETCH NEXT ROW ONLY;
SELECT id FROM t WHERE id IN () OR n NOT IN () ORDER BY id;
SELECT count(*) AS c FROM t GROUP BY ();
SELECT name SIMILAR TO '(a|c)%' AS a, name NOT SIMILAR TO '_' AS b FROM t ORDER BY id;
SELECT CAST('abcdef' AS VARCHAR(3)) AS a, 'äöü'::VARCHAR(2) AS b, CAST(NULL AS VARCHAR(1)) AS c;
SELECT CAST(1.5 AS INT) AS a, CAST(-2.5 AS BIGINT) AS b, CAST(2.4 AS SMALLINT) AS c, CAST(x AS INT) AS d
FROM (VALUES (CAST(0.5 AS DECIMAL(5, 2)))) AS v (x);
---
+----+
| id |
+----+
| 1  |
| 2  |
+----+
+----+
| id |
+----+
| 2  |
+----+
+----+
| id |
+----+
| 1  |
| 2  |
| 3  |
| 4  |
+----+
+---+
| c |
+---+
| 4 |
+---+
+-------+-------+
| a     | b     |
+-------+-------+
| true  | false |
| false | false |
|       |       |
| false | false |
+-------+-------+
+-----+----+---+
| a   | b  | c |
+-----+----+---+
| abc | äö |   |
+-----+----+---+
+---+----+---+---+
| a | b  | c | d |
+---+----+---+---+
| 2 | -3 | 2 | 1 |
+---+----+---+---+

SELECT n FROM t EXCEPT ALL SELECT 7 ORDER BY n;
SELECT n, name FROM t INTERSECT ALL SELECT n, name FROM t ORDER BY n, name;
SELECT 1 AS a UNION ALL SELECT 1 UNION ALL SELECT 2 EXCEPT ALL SELECT 1 ORDER BY a;
---
+---+
| n |
+---+
| 2 |
| 7 |
|   |
+---+
+---+------+
| n | name |
+---+------+
| 2 |      |
| 7 | a    |
| 7 | b    |
|   | b    |
+---+------+
+---+
| a |
+---+
| 1 |
| 2 |
+---+

SELECT n, count(*) AS c FROM t GROUP BY ALL ORDER BY n;
SELECT n, id FROM t ORDER BY ALL;
SELECT * EXCLUDE (d, ts) REPLACE (id * 10 AS id) FROM t ORDER BY id;
SELECT id FROM t QUALIFY row_number() OVER (PARTITION BY n ORDER BY id DESC) = 1 ORDER BY id;
SELECT id FROM t WHERE (n, name) IN (SELECT 7, 'a') ORDER BY id;
SELECT id, EXISTS (SELECT 1 FROM t AS u WHERE u.n = t.n AND u.id > 1) AS e FROM t ORDER BY id;
---
+---+---+
| n | c |
+---+---+
| 2 | 1 |
| 7 | 2 |
|   | 1 |
+---+---+
+---+----+
| n | id |
+---+----+
| 2 | 3  |
| 7 | 1  |
| 7 | 2  |
|   | 4  |
+---+----+
+----+------+---+
| id | name | n |
+----+------+---+
| 10 | a    | 7 |
| 20 | b    | 7 |
| 30 |      | 2 |
| 40 | b    |   |
+----+------+---+
+----+
| id |
+----+
| 2  |
| 3  |
| 4  |
+----+
+----+
| id |
+----+
| 1  |
+----+
+----+-------+
| id | e     |
+----+-------+
| 1  | true  |
| 2  | true  |
| 3  | true  |
| 4  | false |
+----+-------+

-- rows against queries, by SQL's three values: (2, NULL) may be (2, 'z'), (NULL, 'b') any of that name
SELECT id FROM t WHERE (n, name) IN (SELECT 7, 'a' UNION SELECT 2, 'z') ORDER BY id;
SELECT id FROM t WHERE (n, name) NOT IN (SELECT 7, 'a' UNION SELECT 2, 'z') ORDER BY id;
SELECT id FROM t WHERE id = 9 OR (id, n) IN (SELECT id, n FROM t WHERE n = 7) ORDER BY id;
SELECT id, NOT EXISTS (SELECT 1 FROM t AS u WHERE u.n = t.n AND u.name = 'b') AS e FROM t ORDER BY id;
SELECT EXISTS (SELECT * FROM t WHERE id > 9) AS a, EXISTS (SELECT * FROM t WHERE n IS NULL) AS b;
SELECT id FROM t WHERE NOT ((n, name) IN (SELECT 7, 'a'));
---
+----+
| id |
+----+
| 1  |
+----+
+----+
| id |
+----+
| 2  |
| 4  |
+----+
+----+
| id |
+----+
| 1  |
| 2  |
+----+
+----+-------+
| id | e     |
+----+-------+
| 1  | false |
| 2  | false |
| 3  | true  |
| 4  | true  |
+----+-------+
+-------+------+
| a     | b    |
+-------+------+
| false | true |
+-------+------+
+----+
| id |
+----+
| 2  |
| 3  |
| 4  |
+----+

SELECT count(*) > 20 AS many FROM (SELECT 1 FROM information_schema.df_settings);
SHOW COLUMNS FROM t;
---
+------+
| many |
+------+
| true |
+------+
+--------+--------------+-------+-------+---------+--------+
| column | type         | null  | key   | default | checks |
+--------+--------------+-------+-------+---------+--------+
| id     | INT          | false | 1: id |         |        |
| d      | DATE         | true  |       |         |        |
| ts     | TIMESTAMP(3) | true  |       |         |        |
| name   | TEXT         | true  |       |         |        |
| n      | INT          | true  |       |         |        |
+--------+--------------+-------+-------+---------+--------+

