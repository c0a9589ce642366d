CREATE TABLE t (id INT, g TEXT, n INT NULL, doc TEXT NULL, PRIMARY KEY (id));
INSERT INTO t VALUES (1, 'a', 10, '{"k": [1, 2]}'), (2, 'a', NULL, NULL), (3, 'b', 30, '{"k": []}'), (4, 'b', 30, NULL);
---
CREATE TABLE
INSERT 4

-- names and forms of other databases: every line is right by hand
SELECT list(id ORDER BY id DESC) AS l, first(g ORDER BY id) AS f, last(g ORDER BY id) AS a, every(id > 0) AS e, listagg(g, '+') AS j, variance(n) AS v FROM t;
SELECT len('abc') AS l, truncate(1.55, 1) AS t, sign(-3) AS s, string_split('a-b', '-') AS p, regexp_matches('abc', 'b.') AS m, div(-7, 2) AS d, 2 ** 3 * 2 AS x FROM t WHERE id = 1;
SELECT mode() WITHIN GROUP (ORDER BY n) AS m, percentile_disc(0.5) WITHIN GROUP (ORDER BY id) AS p, percentile_disc(0.5) WITHIN GROUP (ORDER BY g) FILTER (WHERE id < 3) AS g, quantile(n, 0) AS q, quantile_disc(DISTINCT n, 1) AS r FROM t;
SELECT quantile_disc(n, 1.5) FROM t;
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY n DESC) FROM t;
SELECT arg_max(id, n) AS a, arg_min(id, n) AS b, max_by(g, id) AS c, arg_max(id, n) FILTER (WHERE id > 3) AS d, arg_max(id, n) FILTER (WHERE id > 9) AS e FROM t;
SELECT g, arg_max(id, n) AS a, min_by(id, n) AS b FROM t GROUP BY g ORDER BY g;
SELECT struct_pack(a := id, b := g) AS s, substring(g || '12' FROM '[0-9](.)') AS x, typeof(n) AS y, current_user AS z FROM t WHERE id = 1;
SELECT timezone('UTC', TIMESTAMPTZ '2024-07-01 12:00+02') AS u, time_bucket(INTERVAL '15 minutes', TIMESTAMP '2024-01-01 10:44') AS q, time_bucket(INTERVAL '7 days', DATE '2024-01-03') AS w, time_bucket(INTERVAL '1 month', DATE '2024-01-31') AS m;
FROM t WHERE id = 1;
TABLE t ORDER BY id LIMIT 1;
WITH x AS (FROM t SELECT g) FROM x ORDER BY ALL LIMIT 1;
SELECT id FROM t SEMI JOIN (SELECT 'b' AS g) AS u USING (g) ORDER BY id;
SELECT id FROM t ANTI JOIN (SELECT 'b' AS g) AS u ON t.g = u.g ORDER BY id;
SELECT g, count(*) AS c, max(n) + 1 AS m FROM t GROUP BY ALL ORDER BY ALL DESC;
---
+--------------+---+---+------+---------+--------------------+
| l            | f | a | e    | j       | v                  |
+--------------+---+---+------+---------+--------------------+
| [4, 3, 2, 1] | a | b | true | a+a+b+b | 133.33333333333334 |
+--------------+---+---+------+---------+--------------------+
+---+------+------+--------+------+----+------+
| l | t    | s    | p      | m    | d  | x    |
+---+------+------+--------+------+----+------+
| 3 | 1.50 | -1.0 | [a, b] | true | -3 | 16.0 |
+---+------+------+--------+------+----+------+
+----+---+---+----+----+
| m  | p | g | q  | r  |
+----+---+---+----+----+
| 30 | 2 | a | 10 | 30 |
+----+---+---+----+----+
error: InvalidInput: Execution error: quantile_disc: 1.5 is no part of 1, from 0 to 1
error: InvalidInput
+---+---+---+---+---+
| a | b | c | d | e |
+---+---+---+---+---+
| 3 | 1 | b | 4 |   |
+---+---+---+---+---+
+---+---+---+
| g | a | b |
+---+---+---+
| a | 1 | 1 |
| b | 3 | 3 |
+---+---+---+
+--------------+---+-----+--------+
| s            | x | y   | z      |
+--------------+---+-----+--------+
| {a: 1, b: a} | 2 | INT | halite |
+--------------+---+-----+--------+
+----------------------+---------------------+---------------------+---------------------+
| u                    | q                   | w                   | m                   |
+----------------------+---------------------+---------------------+---------------------+
| 2024-07-01T10:00:00Z | 2024-01-01T10:30:00 | 2024-01-01T00:00:00 | 2024-01-01T00:00:00 |
+----------------------+---------------------+---------------------+---------------------+
+----+---+----+---------------+
| id | g | n  | doc           |
+----+---+----+---------------+
| 1  | a | 10 | {"k": [1, 2]} |
+----+---+----+---------------+
+----+---+----+---------------+
| id | g | n  | doc           |
+----+---+----+---------------+
| 1  | a | 10 | {"k": [1, 2]} |
+----+---+----+---------------+
+---+
| g |
+---+
| a |
+---+
+----+
| id |
+----+
| 3  |
| 4  |
+----+
+----+
| id |
+----+
| 1  |
| 2  |
+----+
+---+---+----+
| g | c | m  |
+---+---+----+
| b | 2 | 31 |
| a | 2 | 11 |
+---+---+----+

-- JSON
SELECT id, doc -> 'k' AS k, doc ->> 'k' AS t, doc -> 'k' ->> 0 AS f, json_array_length(doc, '$.k') AS n FROM t ORDER BY id;
SELECT id FROM t WHERE doc -> 'k' ->> 0 = '1';
SELECT json_object('id', id, 'n', n, 'k', g) AS o, to_json([id]) AS l FROM t WHERE id = 2;
SELECT g, json_agg(id) AS ids FROM t GROUP BY g ORDER BY g;
SELECT '{' ->> 'a';
---
+----+--------+--------+---+---+
| id | k      | t      | f | n |
+----+--------+--------+---+---+
| 1  | [1, 2] | [1, 2] | 1 | 2 |
| 2  |        |        |   |   |
| 3  | []     | []     |   | 0 |
| 4  |        |        |   |   |
+----+--------+--------+---+---+
+----+
| id |
+----+
| 1  |
+----+
+---------------------------+-----+
| o                         | l   |
+---------------------------+-----+
| {"id":2,"n":null,"k":"a"} | [2] |
+---------------------------+-----+
+---+-------+
| g | ids   |
+---+-------+
| a | [1,2] |
| b | [3,4] |
+---+-------+
error: InvalidInput

-- PIVOT and UNPIVOT
SELECT * FROM (SELECT g, id % 2 AS odd, n FROM t) PIVOT (sum(n) FOR odd IN (0, 1 AS odd)) ORDER BY g;
SELECT * FROM (SELECT g, id, n FROM t) PIVOT (count(*) AS c, max(n) AS m FOR id IN (1, 3)) AS p ORDER BY g;
SELECT g, what, value FROM t UNPIVOT (value FOR what IN (id AS i, n)) AS u ORDER BY g, what, value;
SELECT * FROM (SELECT id, n FROM t) UNPIVOT INCLUDE NULLS (v FOR c IN (n)) ORDER BY id;
---
+---+----+-----+
| g | 0  | odd |
+---+----+-----+
| a |    | 10  |
| b | 30 | 30  |
+---+----+-----+
+---+-----+-----+-----+-----+
| g | 1_c | 1_m | 3_c | 3_m |
+---+-----+-----+-----+-----+
| a | 1   | 10  | 0   |     |
| b | 0   |     | 1   | 30  |
+---+-----+-----+-----+-----+
+---+------+-------+
| g | what | value |
+---+------+-------+
| a | i    | 1     |
| a | i    | 2     |
| a | n    | 10    |
| b | i    | 3     |
| b | i    | 4     |
| b | n    | 30    |
| b | n    | 30    |
+---+------+-------+
+----+---+----+
| id | c | v  |
+----+---+----+
| 1  | n | 10 |
| 2  | n |    |
| 3  | n | 30 |
| 4  | n | 30 |
+----+---+----+

-- functions of FROM over columns
SELECT t.id, g.i FROM t, generate_series(1, t.id) AS g (i) WHERE t.id < 3 ORDER BY 1, 2;
SELECT t.id, s.value FROM t CROSS JOIN LATERAL range(t.id) AS s WHERE t.id = 2 ORDER BY 2;
SELECT t.id, u.x FROM t CROSS JOIN LATERAL unnest([t.n, t.id]) AS u (x) WHERE t.id = 1 ORDER BY 2;
SELECT id, (SELECT sum(x) FROM unnest([t.n, t.id]) AS u (x)) AS s FROM t ORDER BY id;
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM unnest([t.n, 0]) AS u (x) WHERE x > 20) ORDER BY id;
---
+----+---+
| id | i |
+----+---+
| 1  | 1 |
| 2  | 1 |
| 2  | 2 |
+----+---+
+----+-------+
| id | value |
+----+-------+
| 2  | 0     |
| 2  | 1     |
+----+-------+
+----+----+
| id | x  |
+----+----+
| 1  | 1  |
| 1  | 10 |
+----+----+
+----+----+
| id | s  |
+----+----+
| 1  | 11 |
| 2  | 2  |
| 3  | 33 |
| 4  | 34 |
+----+----+
+----+
| id |
+----+
| 3  |
| 4  |
+----+

-- grouping sets and parameters of LIMIT in subqueries that name columns from outside
-- Right: 1: (a: 1), total 1; 2: 2 and 2; 3: a 2, b 1, total 3
SELECT t.id, s.g, s.c FROM t, LATERAL (SELECT g, count(*) AS c FROM t AS u WHERE u.id <= t.id GROUP BY ROLLUP (g)) AS s WHERE t.id < 4 ORDER BY 1, 2, 3;
-- Right: 1 has no rows, and a total of 0 all the same
SELECT t.id, s.g, s.c FROM t, LATERAL (SELECT g, count(*) AS c FROM t AS u WHERE u.id < t.id GROUP BY CUBE (g)) AS s WHERE t.id < 3 ORDER BY 1, 2, 3;
SELECT t.id, (SELECT max(c) FROM (SELECT count(*) AS c FROM t AS u WHERE u.g = t.g GROUP BY GROUPING SETS ((u.n), (u.id))) AS x) AS m FROM t ORDER BY 1;
PREPARE first_of AS SELECT t.id, s.id AS o FROM t, LATERAL (SELECT u.id FROM t AS u WHERE u.g = t.g ORDER BY u.id DESC LIMIT $1) AS s ORDER BY 1, 2;
EXECUTE first_of(1);
EXECUTE first_of(2);
PREPARE second_of AS SELECT t.id, s.id AS o FROM t, LATERAL (SELECT u.id FROM t AS u WHERE u.g = t.g ORDER BY u.id LIMIT $1 OFFSET $2) AS s ORDER BY 1, 2;
EXECUTE second_of(1, 1);
EXECUTE second_of(5, 0);
---
+----+---+---+
| id | g | c |
+----+---+---+
| 1  | a | 1 |
| 1  |   | 1 |
| 2  | a | 2 |
| 2  |   | 2 |
| 3  | a | 2 |
| 3  | b | 1 |
| 3  |   | 3 |
+----+---+---+
+----+---+---+
| id | g | c |
+----+---+---+
| 1  |   | 0 |
| 2  | a | 1 |
| 2  |   | 1 |
+----+---+---+
+----+---+
| id | m |
+----+---+
| 1  | 1 |
| 2  | 1 |
| 3  | 2 |
| 4  | 2 |
+----+---+
PREPARE
+----+---+
| id | o |
+----+---+
| 1  | 2 |
| 2  | 2 |
| 3  | 4 |
| 4  | 4 |
+----+---+
+----+---+
| id | o |
+----+---+
| 1  | 1 |
| 1  | 2 |
| 2  | 1 |
| 2  | 2 |
| 3  | 3 |
| 3  | 4 |
| 4  | 3 |
| 4  | 4 |
+----+---+
PREPARE
+----+---+
| id | o |
+----+---+
| 1  | 2 |
| 2  | 2 |
| 3  | 4 |
| 4  | 4 |
+----+---+
+----+---+
| id | o |
+----+---+
| 1  | 1 |
| 1  | 2 |
| 2  | 1 |
| 2  | 2 |
| 3  | 3 |
| 3  | 4 |
| 4  | 3 |
| 4  | 4 |
+----+---+

-- functions of lists that take functions
SELECT list_transform([1, 2, 3], x -> x * 10 + 1) AS a, list_filter([1, 2, 3], lambda x : x > 1) AS b, array_transform([id], v -> v + id) AS c, list_transform(['{"a": 1}'], d -> d ->> 'a') AS d FROM t WHERE id = 2;
SELECT doc -> g, coalesce(doc -> 'k', g) FROM t WHERE id = 1;
---
+--------------+--------+-----+-----+
| a            | b      | c   | d   |
+--------------+--------+-----+-----+
| [11, 21, 31] | [2, 3] | [4] | [1] |
+--------------+--------+-----+-----+
+----------+-------------------------+
| doc -> g | coalesce(doc -> 'k', g) |
+----------+-------------------------+
|          | [1, 2]                  |
+----------+-------------------------+

SELECT i FROM generate_series(1, 2) AS i;
SELECT generate_series FROM generate_series(1, 2);
SELECT range + 1 AS n FROM range(2) ORDER BY range DESC;
SELECT unnest FROM unnest([3, 4]);
SELECT t.id, i FROM t, generate_series(1, t.id) AS i WHERE t.id < 3 AND i > 1;
SELECT value FROM generate_series(1, 1) AS i;
SELECT i FROM generate_series(1, 2) WITH ORDINALITY AS i;
---
+---+
| i |
+---+
| 1 |
| 2 |
+---+
+-----------------+
| generate_series |
+-----------------+
| 1               |
| 2               |
+-----------------+
+---+
| n |
+---+
| 2 |
| 1 |
+---+
+--------+
| unnest |
+--------+
| 3      |
| 4      |
+--------+
+----+---+
| id | i |
+----+---+
| 2  | 2 |
+----+---+
+-------+
| value |
+-------+
| 1     |
+-------+
error: NotSupported: WITH ORDINALITY is not implemented

SELECT 'a%b' LIKE 'a!%b' ESCAPE '!' AS a, 'axb' LIKE 'a!%b' ESCAPE '!' AS b, 'A_b' ILIKE 'a#_B' ESCAPE '#' AS c, 'a!b' NOT LIKE 'a!!_' ESCAPE '!' AS d;
SELECT 'a\b' LIKE 'a\_' ESCAPE '' AS a, 'a\b' LIKE '_!\_' ESCAPE '!' AS b, 'a%b' LIKE 'a\%b' ESCAPE '\' AS c, 'a%b' LIKE concat('a', '\%b') ESCAPE '\' AS d;
SELECT 'a' LIKE 'a!' ESCAPE '!';
SELECT 'a' LIKE 'a' ESCAPE 'ab';
SELECT 'a' LIKE concat('a', '!%') ESCAPE '!';
CREATE TABLE escaped (name TEXT, PRIMARY KEY (name));
INSERT INTO escaped VALUES ('50 percent'), ('50% off'), ('50%'), ('60%');
SELECT * FROM escaped WHERE name LIKE '50!%%' ESCAPE '!';
EXPLAIN KEYS SELECT * FROM escaped WHERE name LIKE '50!%%' ESCAPE '!';
---
+------+-------+------+-------+
| a    | b     | c    | d     |
+------+-------+------+-------+
| true | false | true | false |
+------+-------+------+-------+
+------+------+------+------+
| a    | b    | c    | d    |
+------+------+------+------+
| true | true | true | true |
+------+------+------+------+
error: NotSupported: LIKE with an ESCAPE that is not one character, or a pattern that is no constant or ends with that character
error: NotSupported: LIKE with an ESCAPE that is not one character, or a pattern that is no constant or ends with that character
error: NotSupported: LIKE with an ESCAPE that is not one character, or a pattern that is no constant or ends with that character
CREATE TABLE
INSERT 4
+---------+
| name    |
+---------+
| 50%     |
| 50% off |
+---------+
escaped range /50%*  3530250001..3530260001  tight

-- fields, slices and intervals that are computed; functions by other names: every line is right by hand
SELECT (struct_pack(a := id, b := [id, n, 7])).b[2:] AS u, ([id, 8, 9])[:2] AS l, ([1, 2, 3])[-2:] AS e, (struct_pack(a := id)).a + 1 AS f FROM t WHERE id = 1;
SELECT INTERVAL (id) DAY AS d, INTERVAL (id * 2) HOURS AS h, INTERVAL '2' DAY AS c, INTERVAL 3 MINUTE AS m, DATE '2024-01-31' + INTERVAL (id) MONTH AS n FROM t WHERE id = 1;
SELECT len([1, 2]) AS l, length('abc') AS t, list_first([4, 5]) AS f, list_last([4, 5]) AS a, list_min([4, 5]) AS m, array_upper([4, 5], 1) AS u, array_lower([4, 5], 1) AS w, list_value(1, 2) AS v, struct_extract({'a': 9}, 'a') AS s;
SELECT ceiling(1.2) AS c, quote_literal('it''s') AS q, space(2) || '.' AS s, ucase('a') AS u, locate('b', 'abc') AS l, strlen('Straße') AS b, mid('abcd', 2, 2) AS m, prefix('abc', 'ab') AS p, xor(5, 3) AS x, isinf(CAST('-Infinity' AS DOUBLE)) AS i, isfinite(CAST('NaN' AS DOUBLE)) AS n, round(e(), 4) AS e, equal_null(NULL, NULL) AS z, round(geomean(id), 4) AS g FROM t;
SELECT epoch_ms(TIMESTAMP '2024-01-01 00:00:00.123') AS m, epoch_us(TIMESTAMP '2024-01-01 00:00:00.123456') AS u, isodow(DATE '2024-01-07') AS d, isoyear(DATE '2023-01-01') AS y, century(DATE '2024-01-01') AS c, decade(DATE '2024-01-01') AS e, weekday(DATE '2024-01-07') AS w, millisecond(TIMESTAMP '2024-01-01 00:00:01.5') AS i;
SELECT to_days(2) AS d, to_hours(25) AS h, to_weeks(1) AS w, to_months(3) AS m, to_years(1) AS y, to_seconds(90) AS s, to_milliseconds(5) AS i, make_timestamptz(2024, 1, 2, 3, 4, 5) AS t;
SELECT 22 / 7.0 AS q, 2.0 / 300000 AS s, avg(id * 1.0) AS a, avg(DISTINCT n * 1.00) AS d FROM t;
SELECT ARRAY(SELECT id FROM t);
SHOW VIEWS;
CREATE TABLE u (id INT PRIMARY KEY, e TEXT UNIQUE);
CREATE TABLE u (id INT PRIMARY KEY, e INT REFERENCES t (id));
SELECT TIMESTAMP '9999-12-31';
SELECT CAST('9999-12-31' AS TIMESTAMP(6)) AS late;
---
+---------+--------+--------+---+
| u       | l      | e      | f |
+---------+--------+--------+---+
| [10, 7] | [1, 8] | [2, 3] | 2 |
+---------+--------+--------+---+
+--------+---------+--------+--------+------------+
| d      | h       | c      | m      | n          |
+--------+---------+--------+--------+------------+
| 1 days | 2 hours | 2 days | 3 mins | 2024-02-29 |
+--------+---------+--------+--------+------------+
+---+---+---+---+---+---+---+--------+---+
| l | t | f | a | m | u | w | v      | s |
+---+---+---+---+---+---+---+--------+---+
| 2 | 3 | 4 | 5 | 4 | 2 | 1 | [1, 2] | 9 |
+---+---+---+---+---+---+---+--------+---+
+-----+---------+-----+---+---+---+----+------+---+------+-------+--------+------+--------+
| c   | q       | s   | u | l | b | m  | p    | x | i    | n     | e      | z    | g      |
+-----+---------+-----+---+---+---+----+------+---+------+-------+--------+------+--------+
| 2.0 | 'it''s' |   . | A | 2 | 7 | bc | true | 6 | true | false | 2.7183 | true | 2.2134 |
+-----+---------+-----+---+---+---+----+------+---+------+-------+--------+------+--------+
+---------------+------------------+---+------+----+-----+---+------+
| m             | u                | d | y    | c  | e   | w | i    |
+---------------+------------------+---+------+----+-----+---+------+
| 1704067200123 | 1704067200123456 | 7 | 2022 | 21 | 202 | 0 | 1500 |
+---------------+------------------+---+------+----+-----+---+------+
+--------+----------+--------+--------+---------+--------------------------+------------------+----------------------+
| d      | h        | w      | m      | y       | s                        | i                | t                    |
+--------+----------+--------+--------+---------+--------------------------+------------------+----------------------+
| 2 days | 25 hours | 7 days | 3 mons | 12 mons | 1 mins 30.000000000 secs | 0.005000000 secs | 2024-01-02T03:04:05Z |
+--------+----------+--------+--------+---------+--------------------------+------------------+----------------------+
+--------------------+--------------------+--------------------+---------------------+
| q                  | s                  | a                  | d                   |
+--------------------+--------------------+--------------------+---------------------+
| 3.1428571428571429 | 0.0000066666666667 | 2.5000000000000000 | 20.0000000000000000 |
+--------------------+--------------------+--------------------+---------------------+
error: NotSupported: a query as the arguments of `ARRAY`
error: NotSupported: SHOW VIEWS
error: NotSupported, table `u`, column `e`: table `u`: column `e`: `UNIQUE`
error: NotSupported, table `u`, column `e`: table `u`: column `e`: `REFERENCES t (id)`
+------------------------+
| TIMESTAMP '9999-12-31' |
+------------------------+
| 9999-12-31T00:00:00    |
+------------------------+
+---------------------+
| late                |
+---------------------+
| 9999-12-31T00:00:00 |
+---------------------+

WITH q AS MATERIALIZED (SELECT 1) SELECT * FROM q;
---
error: InvalidInput

SELECT sum(n) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) FROM t;
---
error: InvalidInput

SELECT 1 IN t;
---
error: InvalidInput

SELECT g GLOB 'a*' FROM t;
---
error: InvalidInput

MERGE INTO t USING (SELECT 1 AS id) AS q ON t.id = q.id WHEN MATCHED THEN DO NOTHING;
---
error: InvalidInput

