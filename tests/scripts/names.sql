-- Names of columns: as they are written, be it one name several times.
CREATE TABLE t (id INT, b INT, f DECIMAL(10,2), PRIMARY KEY (id));
INSERT INTO t VALUES (1, 10, 1.50), (2, 20, 2.50), (3, 20, NULL);
CREATE TABLE u (id INT, b INT, c INT, PRIMARY KEY (id));
INSERT INTO u VALUES (1, 7, 100), (3, 8, 300), (4, 9, 400);

-- One name twice.
SELECT id, id FROM t;
SELECT 1, 1;
SELECT count(*), count(*) FROM t;
SELECT id AS x, b AS x FROM t;
SELECT *, id FROM t;
SELECT *, * FROM t WHERE id = 1;
SELECT t.*, u.*, t.id FROM t JOIN u ON t.id = u.id;
SELECT *, t.* FROM t JOIN u ON t.id = u.id;
SELECT id, b AS id, id FROM t;

-- A cast is part of a name.
SELECT max(b) AS x, max(CAST(b AS BIGINT)) AS y FROM t;
SELECT CAST(b AS BIGINT), b FROM t;
SELECT CAST(b AS BIGINT), b FROM t GROUP BY CAST(b AS BIGINT), b ORDER BY CAST(b AS BIGINT);
SELECT CAST(b AS TEXT) AS x, b FROM t GROUP BY x, b ORDER BY x;
SELECT CAST(b AS BIGINT), b, count(*) FROM t GROUP BY ROLLUP (CAST(b AS BIGINT), b) ORDER BY 1, 2;
SELECT sum(b), sum(CAST(b AS DOUBLE)) FROM t HAVING sum(CAST(b AS DOUBLE)) > 1 ORDER BY sum(b);
SELECT id, max(b) OVER (PARTITION BY b), max(CAST(b AS BIGINT)) OVER (PARTITION BY b) FROM t ORDER BY id;
SELECT id, count(*) OVER (PARTITION BY b), count(*) OVER (PARTITION BY b / CAST(10 AS INT)) FROM t ORDER BY id;

-- An alias that another column has for a name.
SELECT -id AS b, b FROM t;
SELECT -id AS b, b FROM t ORDER BY 2, 1;
SELECT -id AS b FROM t ORDER BY b;
SELECT -id AS b, b AS c FROM t ORDER BY c, id;

-- Which of two columns is ordered by must be certain.
SELECT -id AS b, b FROM t ORDER BY b;
SELECT id AS x, b AS x FROM t ORDER BY x;
SELECT id AS x, b AS x FROM t GROUP BY x;
SELECT id, id FROM t ORDER BY id DESC;
SELECT *, id FROM t ORDER BY id DESC;
SELECT id AS b, b AS id FROM t ORDER BY b DESC;

-- Inside of other queries.
SELECT * FROM (SELECT id, id FROM t);
SELECT * FROM (SELECT id, id FROM t) AS s;
SELECT * FROM (SELECT *, id FROM t) AS s;
SELECT x, y FROM (SELECT id, id FROM t) AS s (x, y);
SELECT * FROM (SELECT t.b, u.b FROM t JOIN u ON t.id = u.id) AS s;
SELECT * FROM (SELECT * FROM t JOIN u ON t.id = u.id) AS s;
WITH s AS (SELECT id, id, b FROM t) SELECT b, * FROM s;
WITH s (x, y) AS (SELECT id, id FROM t) SELECT x + y FROM s;
SELECT count(*) FROM (SELECT id, id FROM t) AS s;
SELECT b FROM (SELECT id, id, b FROM t) AS s;
SELECT id FROM t WHERE EXISTS (SELECT u.id, u.id FROM u WHERE u.id = t.id);
SELECT id FROM t WHERE id IN (SELECT id FROM (SELECT id, b, b FROM u) AS s);

-- A name that stands twice is not taken for one of them.
SELECT id FROM (SELECT id, id FROM t) AS s;
SELECT s.id FROM (SELECT id, id FROM t) AS s;
SELECT x FROM (SELECT id AS x, b AS x FROM t) AS s;
SELECT b FROM (SELECT * FROM t JOIN u ON t.id = u.id) AS s;
SELECT * FROM (SELECT id AS x, b AS x FROM t) AS s WHERE x > 1;
WITH s AS (SELECT id, id FROM t) SELECT 1 FROM s ORDER BY id;
SELECT (SELECT max(c) FROM u WHERE c = x) FROM (SELECT id AS x, b AS x FROM t) AS s;
SELECT c FROM u WHERE EXISTS (SELECT 1 FROM (SELECT id AS c, b AS c FROM t) AS s WHERE s.c = u.c);

-- Sets of rows.
SELECT id, id FROM t UNION ALL SELECT 7, 7 ORDER BY 1;
SELECT 1, 1 UNION SELECT 1, 1;
SELECT b + 1, id FROM t UNION ALL SELECT id, b + 1 FROM t ORDER BY 1, 2;
SELECT id, id FROM t EXCEPT SELECT 2, 2 ORDER BY 1;
SELECT id, id FROM t INTERSECT SELECT id, id FROM u ORDER BY id;
SELECT t.id, u.id FROM t JOIN u ON t.id = u.id UNION ALL SELECT 0, 0 ORDER BY 1;
SELECT DISTINCT b, b FROM t ORDER BY b;

-- Other statements.
EXPLAIN KEYS SELECT id, id FROM t WHERE id = 2;
PREPARE twice AS SELECT id, id, b AS id FROM t WHERE id = $1;
EXECUTE twice(2);
INSERT INTO u (id, b) SELECT id + 20, id + 20 FROM t;
INSERT INTO u (id, b) SELECT id + 30, CAST(id + 30 AS BIGINT) FROM t;
SELECT * FROM u WHERE id > 20;
DELETE FROM u WHERE id IN (SELECT id FROM (SELECT id, b, b FROM u) AS s WHERE id > 20);
FROM t |> SELECT id, id |> LIMIT 1;

-- What is not named is called as it is written.
SELECT 1, -1.50, 1e3, 'a', NULL, TRUE, id + b, (id), COUNT(*) OVER () FROM t WHERE id = 1;
SELECT sum(b + 1), Max(b), count(DISTINCT b), avg(f) FILTER (WHERE id > 1) FROM t;
SELECT extract(year FROM DATE '2024-05-06'), CASE WHEN 1 < 2 THEN 'x' END, (SELECT max(id) FROM t);
SELECT * FROM (SELECT max(b) FROM t) AS s;
SELECT "max(b)" FROM (SELECT max(b) FROM t) AS s;

-- The one column that USING and NATURAL make of two is that of the left side.
SELECT t.id AS x FROM t JOIN u USING (id) WHERE id > 1;
SELECT id, u.c FROM t JOIN u USING (id) WHERE id > 1 ORDER BY id;
SELECT id, c FROM t LEFT JOIN u USING (id) WHERE id < 3 ORDER BY id;
SELECT * FROM t LEFT JOIN u USING (id) ORDER BY id;
SELECT * FROM u LEFT JOIN t USING (id) ORDER BY id;
SELECT id FROM u LEFT JOIN t USING (id) WHERE id = 4;
SELECT id, count(*) FROM t JOIN u USING (id) WHERE id > 0 GROUP BY id HAVING id > 1 ORDER BY id;
SELECT max(id) FROM t JOIN u USING (id) WHERE id + 1 > 2;
SELECT id FROM t JOIN u USING (id) WHERE EXISTS (SELECT 1 FROM (SELECT c AS k FROM u) AS s WHERE s.k = 100 * id);
SELECT (SELECT max(k) FROM (SELECT id AS k, c FROM u) AS s WHERE s.k = id) AS m FROM t JOIN u USING (id) ORDER BY m;
SELECT t.b FROM t JOIN u USING (id) JOIN (SELECT id AS other FROM t) AS v ON v.other = id WHERE id > 1;
SELECT id FROM t JOIN u USING (id) JOIN t AS w USING (id) WHERE id = 3;
SELECT u.c FROM t JOIN u USING (id, b) WHERE b > 1;
SELECT id, b FROM t NATURAL JOIN (SELECT id FROM u) AS v WHERE id > 1;
SELECT * FROM (SELECT * FROM t JOIN u USING (id)) AS s;
SELECT sum(id) OVER (ORDER BY id) FROM t JOIN u USING (id) WHERE id >= 1 ORDER BY 1;

-- An order by a column that is not given, beside one of its name that is.
SELECT -id AS b FROM t ORDER BY t.b DESC, t.id;
SELECT -id AS b FROM t ORDER BY t.b, b;
SELECT max(b) AS id FROM t GROUP BY t.id ORDER BY t.id DESC;
SELECT u.c AS id FROM t JOIN u ON t.id = u.id ORDER BY t.id DESC LIMIT 1;

-- An order by a constant, and by an aggregate that is not given.
SELECT b, 1 FROM t GROUP BY b ORDER BY 2, 1;
SELECT b + 1, count(*) FROM t GROUP BY b ORDER BY 1 DESC;
SELECT 1 AS one, b FROM t GROUP BY b ORDER BY one, b;
SELECT b, sum(count(*)) OVER () FROM t GROUP BY b ORDER BY max(id) DESC;
SELECT b, sum(max(id)) OVER () AS s FROM t GROUP BY b ORDER BY min(id) DESC;
