-- The statements of `memory.rs`, each behind its name. `{4M}` is a number of rows for 256 MiB, and grows with the limit;
-- `{files}` is a directory; `{columns10:value AS c#}` are ten columns; others are what the test makes of them. `(quick)` are
-- run by `make test`, too; `(stored)` find the table `stored` with {1M} rows of 200 bytes.

-- name: sort of numbers (quick)
SELECT count(*) FROM (SELECT value FROM generate_series(1, {16M}) ORDER BY value * 7919 % 5000011 LIMIT {16M} - 1) q;
-- name: sort of texts of 200 bytes
SELECT count(*) FROM (SELECT value, repeat(CAST(value % 1000 AS TEXT), 60) AS t FROM generate_series(1, {2M}) ORDER BY t, value DESC LIMIT {2M} - 1) q;
-- name: sort of texts of 20,000 bytes
SET datafusion.execution.batch_size = 100; SELECT count(*) FROM (SELECT repeat(CAST(value % 100 + 100 AS TEXT), 7000) || value AS t FROM generate_series(1, {20K}) ORDER BY t LIMIT {20K} - 1) q;
-- name: sort of rows of 100 columns
SELECT count(c1) FROM (SELECT {columns:value + # AS c#} FROM generate_series(1, {500K}) ORDER BY c1 * 7919 % 5000011 LIMIT {500K} - 1) q;
-- name: top 10 (quick)
SELECT value FROM generate_series(1, {16M}) ORDER BY value * 7919 % 5000011, value LIMIT 10;
-- name: top half of texts
SELECT count(*) FROM (SELECT value, repeat('x', 100) || value AS t FROM generate_series(1, {4M}) ORDER BY t LIMIT {2M}) q;
-- name: join with a small side
SELECT count(*) FROM generate_series(1, {16M}) a JOIN generate_series(1, 1000) b ON a.value % 1000 = b.value;
-- name: join of 4M and 4M by BIGINT (quick)
SELECT count(*) FROM generate_series(1, {4M}) a JOIN generate_series(1, {4M}) b ON a.value = b.value;
-- name: join of 4M and 4M by BIGINT, merged
SET halite.joins = 'merge'; SELECT count(*) FROM generate_series(1, {4M}) a JOIN generate_series(1, {4M}) b ON a.value * 7 % 4000037 = b.value * 7 % 4000037;
-- name: join by text
SELECT count(*) FROM (SELECT 'key ' || value AS k, repeat('x', 100) AS p FROM generate_series(1, {2M})) a JOIN (SELECT 'key ' || value AS k, repeat('y', 100) AS p FROM generate_series(1, {2M})) b ON a.k = b.k WHERE a.p <> b.p;
-- name: join by DOUBLE
SELECT count(*) FROM (SELECT value / 7.0e0 AS k FROM generate_series(1, {4M})) a JOIN (SELECT value / 7.0e0 AS k FROM generate_series(1, {4M})) b ON a.k = b.k;
-- name: join, all rows have one key
SELECT count(*) FROM (SELECT value, repeat('x', 100) AS p FROM generate_series(1, {4M})) a JOIN (SELECT value, repeat('y', 100) AS p FROM generate_series(1, {4M})) b ON a.value / {5M} = b.value / {5M} WHERE a.p = b.p;
-- name: join, all rows of one side have one key
SELECT count(*) FROM (SELECT value, repeat('x', 100) AS p FROM generate_series(1, {4M})) a JOIN generate_series(1, {4M}) b ON a.value / {5M} + 7 = b.value WHERE a.p <> 'y';
-- name: LEFT JOIN
SELECT count(b.value), count(*) FROM generate_series(1, {4M}) a LEFT JOIN generate_series({2M}, {6M}) b ON a.value = b.value;
-- name: FULL JOIN
SELECT count(b.value), count(a.value), count(*) FROM generate_series(1, {4M}) a FULL JOIN generate_series({2M}, {6M}) b ON a.value = b.value;
-- name: join of three
SELECT count(*) FROM generate_series(1, {3M}) a JOIN generate_series(1, {3M}) b ON a.value = b.value JOIN generate_series(1, {3M}) c ON b.value = c.value;
-- name: IN (SELECT …)
SELECT count(*) FROM generate_series(1, {4M}) a WHERE a.value IN (SELECT b.value * 2 FROM generate_series(1, {4M}) b);
-- name: NOT IN (SELECT …)
SELECT count(*) FROM generate_series(1, {4M}) a WHERE a.value NOT IN (SELECT nullif(b.value * 2, 7) FROM generate_series(1, {4M}) b);
-- name: NOT EXISTS
SELECT count(*) FROM generate_series(1, {4M}) a WHERE NOT EXISTS (SELECT 1 FROM generate_series(1, {4M}) b WHERE b.value = a.value + 5);
-- name: CROSS JOIN (quick)
SELECT sum(a.value * b.value) FROM generate_series(1, {40K}) a CROSS JOIN generate_series(1, 1000) b;
-- name: CROSS JOIN of a large side
SELECT count(*) FROM (SELECT value, repeat('x', 200) AS p FROM generate_series(1, {2M})) a CROSS JOIN (SELECT value, repeat('y', 200) AS p FROM generate_series(1, {2M})) b WHERE a.p = b.p;
-- name: CROSS JOIN, sorted
SELECT count(*) FROM (SELECT a.value AS x, b.value AS y FROM generate_series(1, {3K}) a CROSS JOIN generate_series(1, 3000) b ORDER BY y, x LIMIT {9M} - 1) q;
-- name: join ON a < b
SELECT count(*) FROM generate_series(1, {4K}) a JOIN generate_series(1, 4000) b ON a.value < b.value;
-- name: GROUP BY, many groups (quick)
SELECT count(*) FROM (SELECT value * 7919 % 5000011 AS g, count(*) AS n FROM generate_series(1, {5M}) GROUP BY 1) q WHERE n > 0;
-- name: GROUP BY texts
SELECT count(*), max(n) FROM (SELECT repeat(CAST(value AS TEXT), 20) AS g, count(*) AS n, max(value) AS m FROM generate_series(1, {2M}) GROUP BY 1) q;
-- name: GROUP BY, texts as values
SELECT count(*), max(m) FROM (SELECT value % {1M} AS g, max(repeat(CAST(value AS TEXT), 30)) AS m FROM generate_series(1, {2M}) GROUP BY 1) q;
-- name: DISTINCT
SELECT count(*) FROM (SELECT DISTINCT repeat(CAST(value AS TEXT), 10) AS t FROM generate_series(1, {2M})) q;
-- name: DISTINCT ON
SELECT count(*) FROM (SELECT DISTINCT ON (g) g, value FROM (SELECT value % {2M} AS g, value FROM generate_series(1, {4M})) q ORDER BY g, value DESC) r;
-- name: count(DISTINCT)
SELECT count(DISTINCT value) FROM generate_series(1, {5M});
-- name: count(DISTINCT) of texts
SELECT count(DISTINCT repeat(CAST(value AS TEXT), 10)) FROM generate_series(1, {4M});
-- name: count(DISTINCT) by group
SELECT max(n) FROM (SELECT value % 1000 AS g, count(DISTINCT value) AS n FROM generate_series(1, {5M}) GROUP BY 1) q;
-- name: median
SELECT median(value), approx_percentile_cont(value, 0.9) FROM generate_series(1, {16M});
-- name: string_agg
SELECT length(string_agg(repeat('x', 1000), ',')) FROM generate_series(1, {1500K});
-- name: string_agg by group
SELECT max(length(s)) FROM (SELECT string_agg(repeat('x', 100), ',') AS s FROM generate_series(1, {4M}) GROUP BY value % 100000) q;
-- name: string_agg, ordered
SELECT length(string_agg(CAST(value AS TEXT), ',' ORDER BY value DESC)) FROM generate_series(1, {6M});
-- name: array_agg
SELECT cardinality(array_agg(value)) FROM generate_series(1, {100M});
-- name: array_agg by group
SELECT max(cardinality(l)) FROM (SELECT array_agg(repeat('x', 100)) AS l FROM generate_series(1, {4M}) GROUP BY value % 100000) q;
-- name: CUBE of 24 columns
SELECT count(*) FROM (SELECT {columns24:value AS g#} FROM generate_series(1, 2)) q GROUP BY CUBE ({columns24:g#});
-- name: CUBE of 10 columns
SELECT count(*) FROM (SELECT count(*) FROM (SELECT {columns10:value % (# + 2) AS g#} FROM generate_series(1, {20K})) q GROUP BY CUBE ({columns10:g#})) r;
-- name: window over all rows
SELECT count(n) FROM (SELECT sum(value) OVER () AS n FROM generate_series(1, {20M})) q;
-- name: window over all rows, sorted
SELECT count(n) FROM (SELECT rank() OVER (ORDER BY value % 1000003) AS n FROM generate_series(1, {8M})) q;
-- name: window by partition
SELECT count(n) FROM (SELECT row_number() OVER (PARTITION BY value % 1000 ORDER BY value DESC) AS n FROM generate_series(1, {8M})) q;
-- name: window, one partition, texts
SELECT max(length(t)) FROM (SELECT lag(repeat('x', 100)) OVER (PARTITION BY value / {9M} ORDER BY value DESC) AS t FROM generate_series(1, {4M})) q;
-- name: UNION (quick)
SELECT count(*) FROM (SELECT value FROM generate_series(1, {4M}) UNION SELECT value FROM generate_series({2M}, {6M})) q;
-- name: INTERSECT
SELECT count(*) FROM (SELECT value FROM generate_series(1, {4M}) INTERSECT SELECT value FROM generate_series({2M}, {6M})) q;
-- name: EXCEPT ALL
SELECT count(*) FROM (SELECT value FROM generate_series(1, {4M}) EXCEPT ALL SELECT value FROM generate_series({2M}, {6M})) q;
-- name: WITH RECURSIVE, of doubled texts (quick)
WITH RECURSIVE r AS (SELECT 1 AS n, 'x' AS t UNION ALL SELECT n + 1, t || t FROM r WHERE n < 60) SELECT max(length(t)) FROM r;
-- name: WITH RECURSIVE, of doubled rows
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT q.n + 1 FROM (SELECT r.n, unnest([1, 2]) AS u FROM r WHERE r.n < 60) q) SELECT count(*) FROM r;
-- name: WITH RECURSIVE, of joined rows
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT r.n + 1 FROM r CROSS JOIN generate_series(1, 2) s WHERE r.n < 20) SELECT count(*) FROM r;
-- name: WITH RECURSIVE, UNION
WITH RECURSIVE r AS (SELECT 1 AS n UNION SELECT (r.n * 2 + s.value) % {20M} FROM r CROSS JOIN generate_series(0, 1) s) SELECT count(*) FROM r;
-- name: WITH, doubled 22 times
{ctes}
-- name: WITH, read twice
WITH w AS (SELECT value, repeat('x', 100) AS p FROM generate_series(1, {2M})) SELECT count(*) FROM w a JOIN w b ON a.value = b.value WHERE a.p = b.p;
-- name: correlated subquery
SELECT sum((SELECT max(b.value) FROM generate_series(1, {2M}) b WHERE b.value = a.value)) FROM generate_series(1, {2M}) a;
-- name: repeat (quick)
SELECT length(repeat('x', 1000000000));
-- name: repeat of rows
SET datafusion.execution.batch_size = 4; SELECT sum(length(repeat('x', 1000000 + value))) FROM generate_series(1, {4K});
-- name: lpad (quick)
SELECT length(lpad('x', 2000000000));
-- name: replace
SELECT length(replace(repeat('x', 1000000 + value), 'x', repeat('y', 10000))) FROM generate_series(1, 2);
-- name: range (quick)
SELECT cardinality(range(1, 1000000000));
-- name: range of rows
SET datafusion.execution.batch_size = 16; SELECT sum(cardinality(range(0, value))) FROM generate_series(1, {20K});
-- name: array_repeat (quick)
SELECT cardinality(array_repeat('abc', 500000000));
-- name: array_resize
SELECT cardinality(array_resize([1], 500000000, 2));
-- name: unnest
SELECT count(*) FROM (SELECT unnest(range(0, 1000)) AS u, value FROM generate_series(1, {20K})) q;
-- name: ||, 40 times
{doubled:a || a}
-- name: replace, 40 times
{doubled:replace(a, 'x', 'xxx')}
-- name: regexp_replace
SET datafusion.execution.batch_size = 1000; SELECT max(length(regexp_replace(repeat('x', 1000 + value % 1000), 'x', 'yyyyyyyyyy', 'g'))) FROM generate_series(1, {20K});
-- name: regexp_replace of a long text
SELECT length(regexp_replace(repeat('x', 1000000 + value), 'x', repeat('y', 300), 'g')) FROM generate_series(1, 2);
-- name: 100 columns of 8 MB
SELECT {columns:repeat('x', 8000000 + # * value) AS c#} FROM generate_series(1, 4);
-- name: rows of 1 MB as csv
SET datafusion.execution.batch_size = 4;
SELECT value, repeat('x', 1000000 + value) AS t FROM generate_series(1, {500});
-- name: rows as box
.mode box
SELECT value, value * 2 AS b FROM generate_series(1, {2M});
-- name: long texts as box
.mode box
SELECT value, repeat('x', 1000 + value % 10) AS t FROM generate_series(1, {100K});
-- name: rows as json (quick)
.mode json
SELECT value, 'text ' || value AS b FROM generate_series(1, {2M});
-- name: rows as markdown
.mode markdown
SELECT value, 'text ' || value AS b FROM generate_series(1, {2M});
-- name: a value of 300 MB
CREATE TABLE v (k INT, t TEXT, PRIMARY KEY (k)); INSERT INTO v SELECT 1, repeat('x', 300000000);
-- name: SELECT … ORDER BY of a table (stored)
SELECT count(*) FROM (SELECT * FROM stored ORDER BY t DESC LIMIT {1M} - 1) q;
-- name: join of a table with itself (stored)
SELECT count(*) FROM stored a JOIN stored b ON a.g = b.g AND a.k = b.k WHERE a.t = b.t;
-- name: GROUP BY of a table (stored)
SELECT count(*) FROM (SELECT t, count(*) FROM stored GROUP BY t) q;
-- name: INSERT … SELECT (quick)
CREATE TABLE i (k BIGINT, t TEXT, PRIMARY KEY (k)); INSERT INTO i SELECT value * 7919 % 5000011, repeat('x', 200) FROM generate_series(1, {1M});
-- name: INSERT … ON CONFLICT (stored)
INSERT INTO stored SELECT value, 1, repeat('z', 150) FROM generate_series({500K}, {1500K}) ON CONFLICT (k) DO UPDATE SET t = excluded.t;
-- name: UPDATE of all rows (stored)
UPDATE stored SET t = t || 'more';
-- name: UPDATE of all keys (stored)
UPDATE stored SET k = k + 1;
-- name: UPDATE … FROM (stored)
UPDATE stored SET t = s.t FROM (SELECT value AS k, repeat('u', 150) AS t FROM generate_series(1, {1M})) s WHERE s.k = stored.k;
-- name: DELETE of half of the rows (stored)
DELETE FROM stored WHERE g % 2 = 0;
-- name: DELETE … RETURNING (stored)
DELETE FROM stored RETURNING *;
-- name: MERGE (stored)
MERGE INTO stored USING (SELECT value AS k, repeat('m', 150) AS t FROM generate_series({500K}, {1500K})) s ON s.k = stored.k WHEN MATCHED THEN UPDATE SET t = s.t WHEN NOT MATCHED THEN INSERT VALUES (s.k, 0, s.t);
-- name: CREATE TABLE AS (stored)
CREATE TABLE copied (PRIMARY KEY (g, k)) AS SELECT * FROM stored;
-- name: ALTER TABLE … ADD COLUMN (stored)
ALTER TABLE stored ADD COLUMN n TEXT DEFAULT 'new'; SELECT count(n) FROM stored;
-- name: 100 INSERTs of 3 MB
CREATE TABLE i (k BIGINT, t TEXT, PRIMARY KEY (k)); {inserts}
-- name: COPY TO csv (stored)
COPY stored TO '{files}/out.csv';
-- name: COPY TO jsonl (stored)
COPY stored TO '{files}/out.jsonl';
-- name: COPY TO parquet (stored)
COPY stored TO '{files}/out.parquet';
-- name: COPY FROM csv
CREATE TABLE c (k BIGINT, g BIGINT, t TEXT, PRIMARY KEY (k)); COPY c FROM '{files}/out.csv';
-- name: COPY FROM jsonl
CREATE TABLE c (k BIGINT, g BIGINT, t TEXT, PRIMARY KEY (k)); COPY c FROM '{files}/out.jsonl';
-- name: COPY FROM parquet
CREATE TABLE c (k BIGINT, g BIGINT, t TEXT, PRIMARY KEY (k)); COPY c FROM '{files}/out.parquet';
-- name: SELECT from parquet, sorted
SELECT count(*) FROM (SELECT * FROM '{files}/out.parquet' ORDER BY t LIMIT {1M} - 1) q;
-- name: COPY TO parquet, rows of 1 MB
SET datafusion.execution.batch_size = 4; COPY (SELECT value, repeat('x', 1000000 + value) AS t FROM generate_series(1, {1K})) TO '{files}/wide.parquet';
-- name: COPY TO 100 partitions
COPY (SELECT value % 100 AS p, repeat('x', 100) AS t FROM generate_series(1, {2M})) TO '{files}/parts' (FORMAT parquet, PARTITION_BY (p));
-- name: COPY of a gz with a field of 1 GB (quick)
CREATE TABLE gz (t TEXT, PRIMARY KEY (t)); COPY gz FROM '{files}/field.csv.gz';
-- name: SELECT from a gz with a field of 1 GB
SELECT max(length(column_1)) FROM '{files}/field.csv.gz';
-- name: COPY of a bz2 with a field of 1 GB
CREATE TABLE bz2 (t TEXT, PRIMARY KEY (t)); COPY bz2 FROM '{files}/field.csv.bz2';
-- name: SELECT from a bz2 with a field of 1 GB (quick)
SELECT max(length(column_1)) FROM '{files}/field.csv.bz2';
-- name: SELECT from an xz with a field of 1 GB
SELECT max(length(column_1)) FROM '{files}/field.csv.xz';
-- name: COPY of a line of 200 MB
CREATE TABLE line (t TEXT, PRIMARY KEY (t)); COPY line FROM '{files}/line.csv';
-- name: SELECT from a line of 200 MB
SELECT max(length(t)) FROM '{files}/line.csv';
