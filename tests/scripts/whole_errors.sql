-- Queries that the layers below refuse, or answer wrongly, although there is an answer. What is right stands over each
-- statement, by hand.
CREATE TABLE t (id INT, b INT, f DECIMAL(10,2), PRIMARY KEY (id));
INSERT INTO t VALUES (1, 1, 1.5), (2, 2, NULL), (5, 5, 5.25), (7, 3, 1.5);
CREATE TABLE u (id INT, a INT, b INT, PRIMARY KEY (id));
INSERT INTO u VALUES (1, 1, 1), (2, 5, 2), (3, NULL, 3);
CREATE TABLE g (id INT, g BOOLEAN, PRIMARY KEY (id));
INSERT INTO g VALUES (1, true), (2, false), (3, NULL);
CREATE TABLE bucketed (id INT NOT NULL, f DECIMAL(10,2) NULL, PRIMARY KEY (bucket(4, f), f DESC));
INSERT INTO bucketed VALUES (1, 1.5), (2, 2.5), (3, NULL);
CREATE TABLE stamps (id INT, e TIMESTAMP(3), PRIMARY KEY (id));
INSERT INTO stamps VALUES (1, NULL), (2, NULL), (3, '2024-10-27 02:30:00'), (4, '2024-03-31 02:30:00');
CREATE TABLE by_stamp (e TIMESTAMP(3), PRIMARY KEY (e));
INSERT INTO by_stamp SELECT e FROM stamps WHERE e IS NOT NULL;
---
CREATE TABLE
INSERT 4
CREATE TABLE
INSERT 3
CREATE TABLE
INSERT 3
CREATE TABLE
INSERT 3
CREATE TABLE
INSERT 4
warning: table `by_stamp`: leading timestamp `e`: rows that arrive in the order of time are all written at one end of the table; salt(n) or bucket(n, …) in front spreads them
CREATE TABLE
INSERT 2

-- Right: false and true.
SELECT DISTINCT g IS TRUE AS x FROM g ORDER BY x;
---
+-------+
| x     |
+-------+
| false |
| true  |
+-------+

-- Right: 1 and 1.
SELECT count(*) FILTER (WHERE g IS TRUE) AS a, sum(id) FILTER (WHERE g IS TRUE AND id > 0) AS b FROM g;
---
+---+---+
| a | b |
+---+---+
| 1 | 1 |
+---+---+

-- Right: 1, five times.
SELECT y.one AS a FROM t x JOIN (SELECT f, 1 AS one FROM t) y ON x.f = y.f ORDER BY a;
---
+---+
| a |
+---+
| 1 |
| 1 |
| 1 |
| 1 |
| 1 |
+---+

-- Right: NULL last.
SELECT f AS x, f + 1 AS y FROM bucketed ORDER BY x, y;
---
+------+------+
| x    | y    |
+------+------+
| 1.50 | 2.50 |
| 2.50 | 3.50 |
|      |      |
+------+------+

-- Right: 9, three times, then 5.
SELECT b AS x, b AS y FROM t UNION ALL SELECT -1 AS x, 9 AS y FROM g ORDER BY y DESC, x LIMIT 4;
---
+----+---+
| x  | y |
+----+---+
| -1 | 9 |
| -1 | 9 |
| -1 | 9 |
| 5  | 5 |
+----+---+

-- Right: by id, and by f with NULL last.
SELECT string_agg(CAST(id AS TEXT), ',' ORDER BY id) AS a, string_agg(CAST(id AS TEXT), ',' ORDER BY f, id) AS b FROM t;
---
+---------+---------+
| a       | b       |
+---------+---------+
| 1,2,5,7 | 1,7,5,2 |
+---------+---------+

-- Right: for each group both orders, the distinct values downwards, and the second by f.
SELECT b > 2 AS more, array_agg(id ORDER BY id DESC) AS a, array_agg(id ORDER BY f, id) FILTER (WHERE f > 0) AS b,
    string_agg(DISTINCT CAST(f AS TEXT), ' ' ORDER BY CAST(f AS TEXT) DESC) AS c, nth_value(id, 2 ORDER BY f, id) AS d, sum(f) AS e
FROM t GROUP BY b > 2 ORDER BY more;
---
+-------+--------+--------+-----------+---+------+
| more  | a      | b      | c         | d | e    |
+-------+--------+--------+-----------+---+------+
| false | [2, 1] | [1]    | 1.50      | 2 | 1.50 |
| true  | [7, 5] | [7, 5] | 5.25 1.50 | 5 | 6.75 |
+-------+--------+--------+-----------+---+------+

-- Right: by f, with NULL last, and the least b; a key that turns out to be another is no key of its own.
SELECT array_agg(id ORDER BY f, CASE WHEN true THEN f END, id) AS a, first_value(id ORDER BY b, CAST(b AS INT), id DESC) AS b FROM t;
---
+--------------+---+
| a            | b |
+--------------+---+
| [1, 7, 5, 2] | 1 |
+--------------+---+

-- Right: what the order of rows does not change.
SELECT avg(b ORDER BY id) AS a, avg(b ORDER BY f) AS b, median(b ORDER BY id) AS c FROM t;
---
+------+------+-----+
| a    | b    | c   |
+------+------+-----+
| 2.75 | 2.75 | 2.5 |
+------+------+-----+

-- Right: 1, 5 and 7; of 2 the sum is NULL.
SELECT id FROM t GROUP BY id HAVING sum(f) = sum(DISTINCT f) ORDER BY id;
---
+----+
| id |
+----+
| 1  |
| 5  |
| 7  |
+----+

-- Right: 0.00, of a number that is no 0.00.
SELECT id, nullif(0.00 * id, f) AS x FROM t ORDER BY id;
---
+----+------+
| id | x    |
+----+------+
| 1  | 0.00 |
| 2  | 0.00 |
| 5  | 0.00 |
| 7  | 0.00 |
+----+------+

-- Right: what is behind the point.
SELECT id, id * 1.25 % 1 AS x FROM t ORDER BY id;
---
+----+------+
| id | x    |
+----+------+
| 1  | 0.25 |
| 2  | 0.50 |
| 5  | 0.25 |
| 7  | 0.75 |
+----+------+

-- Right: the midnights, with NULL for NULL.
SELECT id, date_trunc('day', max(e)) AS d FROM stamps GROUP BY id ORDER BY id;
---
+----+---------------------+
| id | d                   |
+----+---------------------+
| 1  |                     |
| 2  |                     |
| 3  | 2024-10-27T00:00:00 |
| 4  | 2024-03-31T00:00:00 |
+----+---------------------+

-- Right: out of range.
SELECT date_trunc('day', arrow_cast(-9223372036854775808, 'Timestamp(Nanosecond, None)')) AS d;
---
error: InvalidInput: date_trunc('day', '1677-09-21 00:12:43.145224192') is out of range for its type

-- Right: a refusal in words.
SELECT id FROM t WHERE id > ('x', 1);
---
error: InvalidInput

-- Right: a refusal in words.
SELECT id FROM t WHERE (id, b) IN (1, 2);
---
error: InvalidInput

-- Right: the later instant, 01:30 in UTC.
SELECT TIMESTAMP '2024-10-27 02:30:00' AT TIME ZONE 'Europe/Berlin' AS x;
---
+---------------------------+
| x                         |
+---------------------------+
| 2024-10-27T02:30:00+01:00 |
+---------------------------+

-- Right: read with the offset of before, 01:30 in UTC.
SELECT TIMESTAMP '2024-03-31 02:30:00' AT TIME ZONE 'Europe/Berlin' AS x;
---
+---------------------------+
| x                         |
+---------------------------+
| 2024-03-31T03:30:00+02:00 |
+---------------------------+

-- Right: NULL, NULL, 01:30 and 01:30 in UTC.
SELECT id, e AT TIME ZONE 'Europe/Berlin' AT TIME ZONE 'UTC' AS x FROM stamps ORDER BY id;
---
+----+----------------------+
| id | x                    |
+----+----------------------+
| 1  |                      |
| 2  |                      |
| 3  | 2024-10-27T01:30:00Z |
| 4  | 2024-03-31T01:30:00Z |
+----+----------------------+

-- Right: the stamp of October.
SELECT e FROM by_stamp WHERE e AT TIME ZONE 'Europe/Berlin' = '2024-10-27 01:30:00+00';
---
+---------------------+
| e                   |
+---------------------+
| 2024-10-27T02:30:00 |
+---------------------+

-- Right: the stamp of March.
SELECT e FROM by_stamp WHERE e AT TIME ZONE 'Europe/Berlin' < TIMESTAMP '2024-10-27 02:30:00' AT TIME ZONE 'Europe/Berlin';
---
+---------------------+
| e                   |
+---------------------+
| 2024-03-31T02:30:00 |
+---------------------+

-- Right: both.
SET datafusion.execution.time_zone = 'Europe/Berlin';
SELECT e, CAST(e AS TIMESTAMP WITH TIME ZONE) AS x FROM by_stamp WHERE CAST(e AS TIMESTAMP WITH TIME ZONE) > '2024-01-01 00:00:00';
SET datafusion.execution.time_zone = '+00:00';
---
SET
+---------------------+---------------------------+
| e                   | x                         |
+---------------------+---------------------------+
| 2024-03-31T02:30:00 | 2024-03-31T03:30:00+02:00 |
| 2024-10-27T02:30:00 | 2024-10-27T02:30:00+01:00 |
+---------------------+---------------------------+
SET

-- Right: 2 and 7, for 1 and 5 are in the list.
SELECT id FROM t WHERE id NOT IN (SELECT a FROM u WHERE b < 3) OR b = 99;
---
+----+
| id |
+----+
| 2  |
| 7  |
+----+

-- Right: 7, for b = 3; with NULL in the list nothing is surely not in it.
SELECT id FROM t WHERE id NOT IN (SELECT a FROM u) OR b = 3;
---
+----+
| id |
+----+
| 7  |
+----+

-- Right: 2.
SELECT (SELECT count(*) FROM t WHERE id NOT IN (SELECT a FROM u WHERE b < 3)) AS n;
---
+---+
| n |
+---+
| 2 |
+---+

