-- What is right stands over each statement, by hand.
CREATE TABLE t (id INT NOT NULL, c TEXT, PRIMARY KEY (id));
INSERT INTO t VALUES (1, 'a\b'), (2, 'ab'), (3, 'abc'), (4, 'x');
---
CREATE TABLE
INSERT 4

-- Right: 1, which has a backslash.
SELECT id FROM t WHERE c ~ 'a\\b';
---
+----+
| id |
+----+
| 1  |
+----+

-- Right: 1.
SELECT id FROM t WHERE c ~* '^A\\' OR regexp_like(c, '\x5Cb');
---
+----+
| id |
+----+
| 1  |
+----+

-- Right: 2, 3 and 4.
SELECT id FROM t WHERE c !~ 'a[\\]b';
---
+----+
| id |
+----+
| 2  |
| 3  |
| 4  |
+----+

-- Right: 1; its name stays.
SELECT id, regexp_like(c, 'a\\b') FROM t WHERE regexp_like(c, 'a\\b');
---
+----+------------------------+
| id | regexp_like(c, 'a\\b') |
+----+------------------------+
| 1  | true                   |
+----+------------------------+

-- Right: 2 and 3.
SELECT id FROM t WHERE c ~ 'ab';
---
+----+
| id |
+----+
| 2  |
| 3  |
+----+

PREPARE backslash AS SELECT id FROM t WHERE c ~ $1;
EXECUTE backslash('a\\b');
---
PREPARE
+----+
| id |
+----+
| 1  |
+----+

