-- What is right stands over each statement, by hand.
CREATE TABLE t (id INT NOT NULL, a INT, PRIMARY KEY (id));
INSERT INTO t VALUES (1, 1), (2, NULL), (3, 2);
CREATE TABLE u (k INT NOT NULL, b INT, PRIMARY KEY (k));
INSERT INTO u VALUES (1, 1);
CREATE TABLE v (k INT NOT NULL, b INT, PRIMARY KEY (k));
INSERT INTO v VALUES (1, 1), (3, NULL);
CREATE TABLE e (k INT NOT NULL, b INT, PRIMARY KEY (k));
---
CREATE TABLE
INSERT 3
CREATE TABLE
INSERT 1
CREATE TABLE
INSERT 2
CREATE TABLE

-- Right: 3.
SELECT id FROM t WHERE a NOT IN (SELECT b FROM u) OR id = 99;
---
+----+
| id |
+----+
| 3  |
+----+

-- Right: none.
SELECT id FROM t WHERE 5 NOT IN (SELECT b FROM v);
---
+----+
| id |
+----+
+----+

-- Right: 1 and 3, for 5 is not among 1.
SELECT id FROM t WHERE 5 NOT IN (SELECT b FROM u) AND a IS NOT NULL;
---
+----+
| id |
+----+
| 1  |
| 3  |
+----+

-- Right: none; a NULL among the values.
SELECT id FROM t WHERE a NOT IN (SELECT b FROM v);
---
++
++

-- Right: all, whatever is asked of no values.
SELECT id FROM t WHERE a NOT IN (SELECT b FROM e) OR id = 99;
---
+----+
| id |
+----+
| 1  |
| 2  |
| 3  |
+----+

-- Right: 1 (of no values) and 3 (2 is not 1); of 2 nobody knows.
SELECT id FROM t WHERE a NOT IN (SELECT b FROM u WHERE u.k < t.id) ORDER BY id;
---
+----+
| id |
+----+
| 1  |
| 3  |
+----+

-- Right: none.
SELECT id FROM t WHERE NULL NOT IN (SELECT b FROM u);
---
++
++

-- Right: none.
SELECT id FROM t WHERE NULLIF(id, id) NOT IN (SELECT k FROM u);
---
++
++

-- Right: none.
SELECT id FROM t WHERE id + NULL NOT IN (SELECT k FROM u);
---
++
++

-- Right: 2 and 3, which are 0 and no NULL.
SELECT id FROM t WHERE (CASE WHEN id > 1 THEN 0 END) NOT IN (SELECT k FROM u);
---
+----+
| id |
+----+
| 2  |
| 3  |
+----+

-- Right: 2.
SELECT id FROM t WHERE (a IN (SELECT b FROM u)) IS NULL;
---
+----+
| id |
+----+
| 2  |
+----+

-- Right: 1 and 3.
SELECT id FROM t WHERE (a IN (SELECT b FROM u)) IS NOT NULL;
---
+----+
| id |
+----+
| 1  |
| 3  |
+----+

-- Right: 1 and 2.
SELECT id FROM t WHERE coalesce(a IN (SELECT b FROM u), true);
---
+----+
| id |
+----+
| 1  |
| 2  |
+----+

-- Right: 2 and 3.
SELECT id FROM t WHERE (a IN (SELECT b FROM u)) IS NOT TRUE;
---
+----+
| id |
+----+
| 2  |
| 3  |
+----+

-- Right: 3.
SELECT id FROM t WHERE NOT (a IN (SELECT b FROM u) OR id = 99);
---
+----+
| id |
+----+
| 3  |
+----+

-- Right: 1.
SELECT id FROM t WHERE NOT (a NOT IN (SELECT b FROM u)) OR id = 99;
---
+----+
| id |
+----+
| 1  |
+----+

-- Right: 3.
SELECT id FROM t WHERE a <> ALL (SELECT b FROM u) OR id = 99;
---
+----+
| id |
+----+
| 3  |
+----+

-- Right: 1, which a DELETE leaves.
SELECT id FROM t WHERE CASE WHEN a IN (SELECT b FROM u) THEN id = 1 ELSE a NOT IN (SELECT b FROM v) END;
---
+----+
| id |
+----+
| 1  |
+----+

-- Right: 2 as a.
SELECT a FROM t GROUP BY a HAVING a NOT IN (SELECT b FROM u) OR count(*) = 99;
---
+---+
| a |
+---+
| 2 |
+---+

-- Right: 2 and 3.
SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.a) OR id = 99;
---
+----+
| id |
+----+
| 2  |
| 3  |
+----+

-- Right: 3 as k.
SELECT k FROM v WHERE EXISTS (SELECT 1 FROM t WHERE t.id = v.k AND (t.a NOT IN (SELECT b FROM u) OR t.id = 99));
---
+---+
| k |
+---+
| 3 |
+---+

-- It deletes nothing.
DELETE FROM t WHERE 5 NOT IN (SELECT b FROM v);
---
DELETE 0

PREPARE p AS DELETE FROM t WHERE a NOT IN (SELECT b FROM u) OR id = $1;
EXECUTE p(99);
---
PREPARE
DELETE 1

-- Right: 1 and 2.
SELECT id FROM t;
---
+----+
| id |
+----+
| 1  |
| 2  |
+----+

SELECT id FROM t WHERE random() NOT IN (SELECT b FROM u) OR id = 99;
---
error: NotSupported: IN, ANY or ALL with a subquery and `random()`, which is another value each time, on its left is not implemented; select it in a subquery of FROM

SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE t.a NOT IN (SELECT b FROM v));
---
++
++

SELECT id FROM t JOIN u ON id = k AND a NOT IN (SELECT b FROM v);
---
++
++

SELECT id FROM t JOIN u ON id = k AND (a IN (SELECT b FROM v)) IS NULL;
---
++
++

-- Right: 1.
SELECT id FROM t JOIN u ON id = k AND (a IN (SELECT b FROM v) OR a = 99);
---
+----+
| id |
+----+
| 1  |
+----+

SELECT id, a IN (SELECT b FROM u) FROM t ORDER BY id;
---
+----+------------------------+
| id | a IN (SELECT b FROM u) |
+----+------------------------+
| 1  | true                   |
| 2  |                        |
+----+------------------------+

SELECT id, NOT EXISTS (SELECT b FROM u) FROM t;
---
+----+------------------------------+
| id | NOT EXISTS (SELECT b FROM u) |
+----+------------------------------+
| 1  | false                        |
| 2  | false                        |
+----+------------------------------+

SELECT id FROM t ORDER BY a NOT IN (SELECT b FROM u);
---
+----+
| id |
+----+
| 1  |
| 2  |
+----+

SELECT count(*) FILTER (WHERE a = ANY (SELECT b FROM u)) FROM t;
---
+--------------------------------------------------+
| count(*) FILTER (WHERE a = ANY(SELECT b FROM u)) |
+--------------------------------------------------+
| 1                                                |
+--------------------------------------------------+

EXPLAIN KEYS SELECT id, a IN (SELECT b FROM u) FROM t;
---
t full /*  ..  tight
t full /*  ..  tight
u AS (subquery) full /*  ..  tight
u full /*  ..  tight

SELECT id FROM t WHERE EXISTS (SELECT max(k) FROM u WHERE k = t.id) ORDER BY id;
---
+----+
| id |
+----+
| 1  |
| 2  |
+----+

SELECT id FROM t WHERE NOT EXISTS (SELECT max(k) FROM u WHERE k = t.id HAVING max(k) > 9) ORDER BY id;
---
+----+
| id |
+----+
| 1  |
| 2  |
+----+

-- Right: both.
SELECT id FROM t WHERE EXISTS (SELECT max(k) FROM u WHERE k = 77);
---
+----+
| id |
+----+
| 1  |
| 2  |
+----+

-- Right: none.
SELECT id FROM t WHERE EXISTS (SELECT max(k) FROM u WHERE k = 77 HAVING count(*) > 0);
---
+----+
| id |
+----+
+----+

SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE k = t.id OFFSET 1);
---
++
++

PREPARE q AS SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE k = t.id LIMIT 1 OFFSET $1);
---
PREPARE

-- Right: none, as u has one row.
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u OFFSET 1);
---
+----+
| id |
+----+
+----+

-- Right: 1.
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE k = t.id LIMIT 1);
---
+----+
| id |
+----+
| 1  |
+----+

-- Right: none.
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE k = t.id LIMIT 0);
---
++
++

SELECT id FROM t WHERE a = ANY (SELECT b FROM u WHERE k = t.id ORDER BY k LIMIT 1);
---
+----+
| id |
+----+
| 1  |
+----+

SELECT id FROM t WHERE a IN (SELECT count(*) FROM u WHERE k = t.id);
---
+----+
| id |
+----+
| 1  |
+----+

SELECT id FROM t WHERE EXISTS (SELECT 1 FROM (SELECT row_number() OVER (ORDER BY k) AS n FROM v WHERE k >= t.id) AS x WHERE n = 2);
---
+----+
| id |
+----+
| 1  |
+----+

-- rows against rows with NULLs, in all their places
CREATE TABLE pairs (id INT, x INT NULL, y INT NULL, PRIMARY KEY (id));
INSERT INTO pairs VALUES (1, 1, 1), (2, 1, 2), (3, 3, 3), (4, NULL, 1), (5, NULL, 9), (6, 7, NULL), (7, NULL, NULL);
---
CREATE TABLE
INSERT 7

-- Right: 2, 3, 5 and 6; 4 may be (1, 1), of 7 nobody knows.
SELECT id FROM pairs WHERE (x, y) NOT IN (SELECT 1, 1) ORDER BY id;
---
+----+
| id |
+----+
| 2  |
| 3  |
| 5  |
| 6  |
+----+

-- Right: 2 and 3; 5 may be (7, NULL), and so may 6.
SELECT id FROM pairs WHERE (x, y) NOT IN (VALUES (1, 1), (7, NULL)) ORDER BY id;
---
+----+
| id |
+----+
| 2  |
| 3  |
+----+

-- Right: all.
SELECT id FROM pairs WHERE (x, y) NOT IN (SELECT x, y FROM pairs WHERE id > 9) OR id = 99 ORDER BY id;
---
+----+
| id |
+----+
| 1  |
| 2  |
| 3  |
| 4  |
| 5  |
| 6  |
| 7  |
+----+

-- Right: none, for (NULL, NULL) may be any.
SELECT id FROM pairs WHERE (x, y) NOT IN (SELECT x, y FROM pairs) ORDER BY id;
---
++
++

-- Right: 1, 2, 3, 6, and 4 by its id; 5 may be (7, NULL), of 7 nobody knows.
SELECT id FROM pairs AS p WHERE (x, y) NOT IN (SELECT q.x, q.y FROM pairs AS q WHERE q.id IN (3, 6) AND q.id <> p.id) OR id = 4 ORDER BY id;
---
+----+
| id |
+----+
| 1  |
| 2  |
| 3  |
| 4  |
| 6  |
+----+

