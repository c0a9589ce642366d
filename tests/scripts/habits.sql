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
error: NotSupported, table `t`: table `t`: `9223372036854775807 - ts` cannot be a part of a row key; write ts DESC for the greatest first
error: NotSupported, table `t`
error: NotSupported, table `t`
error: InvalidInput, table `t`: table `t`: key part `reverse(ts)`: reverse takes a text column; `ts` is TIMESTAMP(3); write ts DESC for the greatest first
error: InvalidInput, table `t`
error: InvalidInput, table `t`
error: NotSupported, table `t`: table `t`: CREATE TABLE with `WITH (salt_buckets = 8)`
error: NotSupported, table `t`: table `t`: CREATE TABLE with `WITH (ttl = 1)`

CREATE TABLE t (id INT PRIMARY KEY, v INT) SALT_BUCKETS = 16;
---
error: InvalidInput

CREATE TABLE t (id INT NOT NULL PRIMARY KEY DESC, v INT);
---
error: NotSupported, table `t`, column `id`: table `t`: column `id`: `DESC`

CREATE TABLE t (id TEXT PRIMARY KEY) SPLIT ON ('a', 'm');
---
error: InvalidInput

scan 't';
---
error: NotSupported: scan

SCAN 't', {LIMIT => 10};
---
error: NotSupported: scan

get 't', 'k';
---
error: NotSupported: get

put 't', 'k', 'f:c', 'v';
---
error: NotSupported: put

deleteall 't', 'k';
---
error: NotSupported: deleteall

count 't';
---
error: NotSupported: count

list;
---
error: NotSupported: list

