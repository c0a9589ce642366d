CREATE TABLE t (host TEXT, day INT, usage BIGINT, PRIMARY KEY (salt(4), host, day));
SET halite.statement_memory = 20000;
---
CREATE TABLE
SET

INSERT INTO t SELECT concat('h', value % 7), value, value * 2 FROM generate_series(1, 30000);
SELECT count(*) AS rows, count(DISTINCT host) AS hosts, max(day) AS day, sum(usage) AS usage FROM t;
---
INSERT 30000
+-------+-------+-------+-----------+
| rows  | hosts | day   | usage     |
+-------+-------+-------+-----------+
| 30000 | 7     | 30000 | 900030000 |
+-------+-------+-------+-----------+

SET datafusion.execution.target_partitions = 1;
INSERT INTO t SELECT 'h5', 29966 + value, 0 FROM generate_series(1, 30000);
INSERT INTO t SELECT 'h9', value % 29999, 0 FROM generate_series(0, 29999);
SELECT count(*) AS rows, sum(usage) AS usage FROM t;
---
SET
error: Conflict, table `t`, constraint `PRIMARY KEY`: row 6: table `t`: a row with (host = 'h5', day = 29972) is there already, under the row key /0/h5/29972
error: Conflict, table `t`, constraint `PRIMARY KEY`
+-------+-----------+
| rows  | usage     |
+-------+-----------+
| 30000 | 900030000 |
+-------+-----------+

SET datafusion.execution.target_partitions = 4;
INSERT OR REPLACE INTO t SELECT host, day, 1 FROM t WHERE day <= 20000;
SELECT count(*) AS rows, sum(usage) AS usage FROM t;
---
SET
INSERT 20000
+-------+-----------+
| rows  | usage     |
+-------+-----------+
| 30000 | 500030000 |
+-------+-----------+

DELETE FROM t WHERE day % 3 <> 0 OR day > 20000;
SELECT count(*) AS rows, sum(usage) AS usage, max(day) AS day FROM t;
---
DELETE 23334
+------+-------+-------+
| rows | usage | day   |
+------+-------+-------+
| 6666 | 6666  | 19998 |
+------+-------+-------+

