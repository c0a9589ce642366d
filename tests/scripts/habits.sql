-- what users of HBase and of Phoenix are used to writing, and what to write instead
CREATE TABLE t (id INT, ts BIGINT, PRIMARY KEY (id, 9223372036854775807 - ts));
CREATE TABLE t (id INT, ts BIGINT, PRIMARY KEY (id, -ts));
CREATE TABLE t (id INT, ts BIGINT, PRIMARY KEY (id, ts - 1));
CREATE TABLE t (id INT, ts TIMESTAMP(3), PRIMARY KEY (id, reverse(ts)));
CREATE TABLE t (id BIGINT, PRIMARY KEY (reverse(id)));
CREATE TABLE t (id UUID, PRIMARY KEY (reverse(id)));
CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH (salt_buckets = 8);
CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH (ttl = 1);
---
error: table `t`: `9223372036854775807 - ts` cannot be a part of a row key; write ts DESC for the greatest first
error: table `t`: `-ts` cannot be a part of a row key; write ts DESC for the greatest first
error: table `t`: `ts - 1` cannot be a part of a row key; these can: c, salt(n), bucket(n, c, …), random_salt(n), hash(c, …), md5(c), reverse(c), reverse_digits(c), dict(c), left(c, n), c / n, date_trunc(unit, c), date_bin(interval, c), CAST(c AS DATE), c % n, 'text' or number
error: table `t`: key part `reverse(ts)`: reverse takes a text column; `ts` is TIMESTAMP(3); write ts DESC for the greatest first
error: table `t`: key part `reverse(id)`: reverse takes a text column; `id` is BIGINT; write id DESC for the greatest first, reverse_digits(id) for the last digits in front
error: table `t`: key part `reverse(id)`: reverse takes a text column; `id` is UUID
error: table `t`: CREATE TABLE with `WITH (salt_buckets = 8)` is not implemented; let the key begin with salt(8): PRIMARY KEY (salt(8), id)
error: table `t`: CREATE TABLE with `WITH (ttl = 1)` is not implemented

CREATE TABLE t (id INT PRIMARY KEY, v INT) SALT_BUCKETS = 16;
---
error: syntax error: Expected: end of statement, found: SALT_BUCKETS; let the key begin with a salt: PRIMARY KEY (salt(16), id) at Line: 1, Column: 44

CREATE TABLE t (id INT NOT NULL PRIMARY KEY DESC, v INT);
---
error: table `t`: column `id`: `DESC` is not implemented; write the key behind the columns, as in PRIMARY KEY (id DESC)

CREATE TABLE t (id TEXT PRIMARY KEY) SPLIT ON ('a', 'm');
---
error: syntax error: Expected: end of statement, found: SPLIT; write SPLIT ('a', 'm') behind the columns at Line: 1, Column: 38

scan 't';
---
error: scan is not implemented; write SELECT * FROM t; WHERE about the columns of the key reads their range, and EXPLAIN KEYS shows it

SCAN 't', {LIMIT => 10};
---
error: scan is not implemented; write SELECT * FROM t; WHERE about the columns of the key reads their range, and EXPLAIN KEYS shows it

get 't', 'k';
---
error: get is not implemented; write SELECT * FROM t WHERE id = 'k', by the columns of the key

put 't', 'k', 'f:c', 'v';
---
error: put is not implemented; write INSERT INTO t VALUES …, or INSERT OR REPLACE INTO t VALUES … over a row that may be there

deleteall 't', 'k';
---
error: deleteall is not implemented; write DELETE FROM t WHERE id = 'k', by the columns of the key

count 't';
---
error: count is not implemented; write SELECT count(*) FROM t

list;
---
error: list is not implemented; SHOW TABLES lists the tables

