-- what an operator is depends on the values of its parameters
PREPARE third AS SELECT $1 / 3 AS q;
EXECUTE third(2.0);
EXECUTE third(2);
EXECUTE third(2e0);
EXECUTE third(NULL);
PREPARE both AS SELECT $1 / $2 AS q, 2 / $1 AS r;
EXECUTE both(1.5, 7);
EXECUTE both(3, 2);
PREPARE inside AS SELECT abs($1) / 7 AS a, (SELECT $1 AS x) / 7 AS b, x / 7 AS c FROM (SELECT $1 AS x) AS s;
EXECUTE inside(2.0);
EXECUTE inside(2);
CREATE TABLE t (id INT PRIMARY KEY, n INT, d DECIMAL(9, 2), day DATE, ts TIMESTAMP(3), i INTERVAL);
INSERT INTO t VALUES
    (1, 2, 10.00, '2024-01-31', '2024-01-31 10:00:00', '25 hours'),
    (2, 0, 2.50, '2024-02-29', '2024-02-29 00:00:00', '1 day'),
    (3, 1, NULL, '2024-03-01', NULL, '1 month');
PREPARE ratio AS SELECT id, d / $1 AS q, n / $1 AS r FROM t ORDER BY id;
EXECUTE ratio(3);
EXECUTE ratio(1.5);
EXECUTE ratio(3e0);
EXECUTE ratio(NULL);
PREPARE outer_ratio AS SELECT id, d / $1 / 3 AS q FROM t WHERE id < 3 ORDER BY id;
EXECUTE outer_ratio(3);
EXECUTE outer_ratio(4e0);
PREPARE part AS UPDATE t SET d = d / $1 WHERE id = $2;
EXECUTE part(4, 2);
EXECUTE part(0.5, 1);
SELECT id, d FROM t ORDER BY id;
PREPARE later AS SELECT ts + INTERVAL ($1) DAY AS a, ts + to_hours($1) AS b, day + INTERVAL ($1) DAY AS c, $1 * INTERVAL '1 minute' AS m, INTERVAL '1 hour' / $1 AS h FROM t WHERE id = 1;
EXECUTE later(2);
EXECUTE later(0.5);
EXECUTE later(NULL);
---
PREPARE
+--------------------+
| q                  |
+--------------------+
| 0.6666666666666667 |
+--------------------+
+---+
| q |
+---+
| 0 |
+---+
+--------------------+
| q                  |
+--------------------+
| 0.6666666666666666 |
+--------------------+
+---+
| q |
+---+
|   |
+---+
PREPARE
+--------------------+--------------------+
| q                  | r                  |
+--------------------+--------------------+
| 0.2142857142857143 | 1.3333333333333333 |
+--------------------+--------------------+
+---+---+
| q | r |
+---+---+
| 1 | 0 |
+---+---+
PREPARE
+--------------------+--------------------+--------------------+
| a                  | b                  | c                  |
+--------------------+--------------------+--------------------+
| 0.2857142857142857 | 0.2857142857142857 | 0.2857142857142857 |
+--------------------+--------------------+--------------------+
+---+---+---+
| a | b | c |
+---+---+---+
| 0 | 0 | 0 |
+---+---+---+
CREATE TABLE
INSERT 3
PREPARE
+----+--------------------+---+
| id | q                  | r |
+----+--------------------+---+
| 1  | 3.3333333333333333 | 0 |
| 2  | 0.8333333333333333 | 0 |
| 3  |                    | 0 |
+----+--------------------+---+
+----+--------------------+--------------------+
| id | q                  | r                  |
+----+--------------------+--------------------+
| 1  | 6.6666666666666667 | 1.3333333333333333 |
| 2  | 1.6666666666666667 | 0.0000000000000000 |
| 3  |                    | 0.6666666666666667 |
+----+--------------------+--------------------+
+----+--------------------+--------------------+
| id | q                  | r                  |
+----+--------------------+--------------------+
| 1  | 3.3333333333333335 | 0.6666666666666666 |
| 2  | 0.8333333333333334 | 0.0                |
| 3  |                    | 0.3333333333333333 |
+----+--------------------+--------------------+
+----+---+---+
| id | q | r |
+----+---+---+
| 1  |   |   |
| 2  |   |   |
| 3  |   |   |
+----+---+---+
PREPARE
+----+--------------------+
| id | q                  |
+----+--------------------+
| 1  | 1.1111111111111111 |
| 2  | 0.2777777777777778 |
+----+--------------------+
+----+---------------------+
| id | q                   |
+----+---------------------+
| 1  | 0.8333333333333334  |
| 2  | 0.20833333333333334 |
+----+---------------------+
PREPARE
UPDATE 1
UPDATE 1
+----+-------+
| id | d     |
+----+-------+
| 1  | 20.00 |
| 2  | 0.63  |
| 3  |       |
+----+-------+
PREPARE
+---------------------+---------------------+------------+--------+---------+
| a                   | b                   | c          | m      | h       |
+---------------------+---------------------+------------+--------+---------+
| 2024-02-02T10:00:00 | 2024-01-31T12:00:00 | 2024-02-02 | 2 mins | 30 mins |
+---------------------+---------------------+------------+--------+---------+
+---------------------+---------------------+---------------------+-------------------+---------+
| a                   | b                   | c                   | m                 | h       |
+---------------------+---------------------+---------------------+-------------------+---------+
| 2024-01-31T22:00:00 | 2024-01-31T10:30:00 | 2024-01-31T12:00:00 | 30.000000000 secs | 2 hours |
+---------------------+---------------------+---------------------+-------------------+---------+
+---+---+---+---+---+
| a | b | c | m | h |
+---+---+---+---+---+
|   |   |   |   |   |
+---+---+---+---+---+

-- a date and hours are a timestamp, a date and days a date
SELECT day + INTERVAL '2 hours' AS a, day - INTERVAL '30 minutes' AS b, INTERVAL '36 hours' + day AS c, day + INTERVAL '1 day' AS d, day - INTERVAL '1 month' AS e,
       day + INTERVAL '1 day' * n AS f, day + INTERVAL '1 hour' * n AS g, day + i AS h FROM t ORDER BY id;
SELECT id FROM t WHERE day + INTERVAL '12 hours' > TIMESTAMP '2024-02-29 11:00' ORDER BY id;
SELECT id FROM t WHERE day >= DATE '2024-02-28' + INTERVAL '30 hours' ORDER BY id;
SELECT INTERVAL (1) DAY AS a, INTERVAL (1 + 1) HOURS AS b, INTERVAL ('3') MONTH AS c, INTERVAL (NULL) DAY AS d;
---
+---------------------+---------------------+---------------------+------------+------------+------------+---------------------+---------------------+
| a                   | b                   | c                   | d          | e          | f          | g                   | h                   |
+---------------------+---------------------+---------------------+------------+------------+------------+---------------------+---------------------+
| 2024-01-31T02:00:00 | 2024-01-30T23:30:00 | 2024-02-01T12:00:00 | 2024-02-01 | 2023-12-31 | 2024-02-02 | 2024-01-31T02:00:00 | 2024-02-01T01:00:00 |
| 2024-02-29T02:00:00 | 2024-02-28T23:30:00 | 2024-03-01T12:00:00 | 2024-03-01 | 2024-01-29 | 2024-02-29 | 2024-02-29T00:00:00 | 2024-03-01T00:00:00 |
| 2024-03-01T02:00:00 | 2024-02-29T23:30:00 | 2024-03-02T12:00:00 | 2024-03-02 | 2024-02-01 | 2024-03-02 | 2024-03-01T01:00:00 | 2024-04-01T00:00:00 |
+---------------------+---------------------+---------------------+------------+------------+------------+---------------------+---------------------+
+----+
| id |
+----+
| 2  |
| 3  |
+----+
+----+
| id |
+----+
| 3  |
+----+
+--------+---------+--------+---+
| a      | b       | c      | d |
+--------+---------+--------+---+
| 1 days | 2 hours | 3 mons |   |
+--------+---------+--------+---+

-- intervals are sorted by their lengths
SELECT id, i FROM t ORDER BY i;
SELECT id FROM t ORDER BY i DESC LIMIT 1;
SELECT id, row_number() OVER (ORDER BY i) AS n, rank() OVER (ORDER BY i * 2 DESC) AS r FROM t ORDER BY id;
SELECT array_agg(id ORDER BY i DESC) AS ids FROM t;
SELECT id FROM t WHERE i BETWEEN INTERVAL '24 hours' AND INTERVAL '29 days' ORDER BY id;
SELECT id FROM t WHERE i NOT BETWEEN INTERVAL '24 hours' AND INTERVAL '29 days' ORDER BY id;
SELECT -INTERVAL '1 month 2 days 3 hours' AS a, DATE '2020-03-01' + (-INTERVAL '1 month 2 days') AS b, - INTERVAL '2' DAY AS c;
SELECT n + 1 AS m FROM t ORDER BY ts + INTERVAL (n) DAY;
SELECT n + 1 AS m FROM t ORDER BY n * INTERVAL '1 day';
SELECT id, row_number() OVER (ORDER BY ts + to_days(n)) AS r FROM t ORDER BY id;
---
+----+----------+
| id | i        |
+----+----------+
| 2  | 1 days   |
| 1  | 25 hours |
| 3  | 1 mons   |
+----+----------+
+----+
| id |
+----+
| 3  |
+----+
+----+---+---+
| id | n | r |
+----+---+---+
| 1  | 2 | 2 |
| 2  | 1 | 3 |
| 3  | 3 | 1 |
+----+---+---+
+-----------+
| ids       |
+-----------+
| [3, 1, 2] |
+-----------+
+----+
| id |
+----+
| 1  |
| 2  |
+----+
+----+
| id |
+----+
| 3  |
+----+
+--------------------------+------------+---------+
| a                        | b          | c       |
+--------------------------+------------+---------+
| -1 mons -2 days -3 hours | 2020-01-30 | -2 days |
+--------------------------+------------+---------+
+---+
| m |
+---+
| 3 |
| 1 |
| 2 |
+---+
+---+
| m |
+---+
| 1 |
| 2 |
| 3 |
+---+
+----+---+
| id | r |
+----+---+
| 1  | 1 |
| 2  | 2 |
| 3  | 3 |
+----+---+

-- products of averages have room; what people declare is multiplied exactly
SELECT avg(d) * avg(d) AS two, avg(d) * avg(d) * avg(d) AS three, typeof(avg(d) * avg(d)) AS of_two FROM (VALUES (5000.25), (7000.50)) AS v (d);
SELECT (1000 / 3.0) * (10000 / 3.0) * (100000 / 3.0) AS product, (1 / 3.0) * 3 AS one;
SELECT CAST(1234567890.123456789 AS DECIMAL(38, 9)) * CAST(1234567890.123456789 AS DECIMAL(38, 9)) AS exact;
SELECT CAST(12345678901234567890.5 AS DECIMAL(38, 16)) * CAST(12345678901234567890.5 AS DECIMAL(38, 16)) AS p;
---
+-------------------------------+-----------------------------------+----------------+
| two                           | three                             | of_two         |
+-------------------------------+-----------------------------------+----------------+
| 36004500.14062500000000000000 | 216040502531.30273437500000000000 | DECIMAL(38,20) |
+-------------------------------+-----------------------------------+----------------+
+----------------------------------+--------------------+
| product                          | one                |
+----------------------------------+--------------------+
| 37037037037.03703703292592596296 | 0.9999999999999999 |
+----------------------------------+--------------------+
+----------------------------------------+
| exact                                  |
+----------------------------------------+
| 1524157875323883675.019051998750190521 |
+----------------------------------------+
error: InvalidInput: a product is out of range for DECIMAL(38, 20); CAST one of the numbers to DOUBLE

-- what FILTER leaves out is not computed
SELECT sum(10 / n) FILTER (WHERE n <> 0) AS a, sum(10 % n) FILTER (WHERE n > 0) AS b, count(*) FILTER (WHERE n = 0) AS c FROM t;
SELECT sum(10 / n) FILTER (WHERE n <> 0) + sum(10 / n) FILTER (WHERE n > 1) AS s, max(coalesce(10 / n, 0)) FILTER (WHERE n <> 0) AS m FROM t;
SELECT id > 9 AS g, sum(10 / n) FILTER (WHERE n <> 0) AS a, count(*) FILTER (WHERE n = 0) AS c FROM t GROUP BY id > 9;
SELECT id, sum(10 / n) FILTER (WHERE n <> 0) OVER (ORDER BY id) AS s FROM t ORDER BY id;
SELECT sum(CAST(x AS INT)) FILTER (WHERE x <> 'no') AS s, count(*) FILTER (WHERE x = 'no') AS c FROM (VALUES ('1'), ('no'), ('3')) AS v (x);
SELECT array_agg(id ORDER BY 10 / n) FILTER (WHERE n <> 0) AS ids, count(*) FILTER (WHERE n = 0) AS c FROM t;
---
+----+---+---+
| a  | b | c |
+----+---+---+
| 15 | 0 | 1 |
+----+---+---+
+----+----+
| s  | m  |
+----+----+
| 20 | 10 |
+----+----+
+-------+----+---+
| g     | a  | c |
+-------+----+---+
| false | 15 | 1 |
+-------+----+---+
+----+----+
| id | s  |
+----+----+
| 1  | 5  |
| 2  | 5  |
| 3  | 15 |
+----+----+
+---+---+
| s | c |
+---+---+
| 4 | 1 |
+---+---+
+--------+---+
| ids    | c |
+--------+---+
| [1, 3] | 1 |
+--------+---+

-- aggregates by other names take what aggregates take
SELECT round(geomean(id), 4) AS g, round(geomean(DISTINCT n + 1), 4) AS d, round(geomean(id) FILTER (WHERE id > 1), 4) AS f, count_if(n > 0) FILTER (WHERE id < 3) AS c FROM t;
SELECT id, count_if(n > 0) OVER (ORDER BY id) AS c, group_concat(n) OVER (ORDER BY id) AS g FROM t ORDER BY id;
SELECT group_concat(n ORDER BY n DESC) AS g, json_agg(n ORDER BY n) AS j, json_agg(id) FILTER (WHERE id > 1) AS f FROM t;
---
+--------+--------+--------+---+
| g      | d      | f      | c |
+--------+--------+--------+---+
| 1.8171 | 1.8171 | 2.4495 | 1 |
+--------+--------+--------+---+
+----+---+-------+
| id | c | g     |
+----+---+-------+
| 1  | 1 | 2     |
| 2  | 1 | 2,0   |
| 3  | 2 | 2,0,1 |
+----+---+-------+
+-------+---------+-------+
| g     | j       | f     |
+-------+---------+-------+
| 2,1,0 | [0,1,2] | [2,3] |
+-------+---------+-------+

-- the branches of CASE have one type
SELECT x / 3 AS q, x * 1.5 AS p FROM (SELECT CASE WHEN false THEN 3.0 ELSE 1.1e1 END AS x) AS s;
SELECT x / 3 AS q FROM (SELECT CASE WHEN id < 3 THEN d ELSE 1e0 END AS x FROM t) AS s ORDER BY q;
SELECT CASE WHEN id = 1 THEN id ELSE 0.5 END / 3 AS q FROM t ORDER BY id;
SELECT x / 3 AS q, x / 3 = 2 / 3.0 AS e FROM (SELECT CASE WHEN id > 2 THEN 2 ELSE d END AS x, id FROM t) AS s ORDER BY id;
---
+--------------------+------+
| q                  | p    |
+--------------------+------+
| 3.6666666666666665 | 16.5 |
+--------------------+------+
+--------------------+
| q                  |
+--------------------+
| 0.21               |
| 0.3333333333333333 |
| 6.666666666666667  |
+--------------------+
+--------------------+
| q                  |
+--------------------+
| 0.3333333333333333 |
| 0.1666666666666667 |
| 0.1666666666666667 |
+--------------------+
+--------------------+-------+
| q                  | e     |
+--------------------+-------+
| 6.6666666666666667 | false |
| 0.2100000000000000 | false |
| 0.6666666666666667 | true  |
+--------------------+-------+

