CREATE TABLE event (id BIGINT, host TEXT, ts TIMESTAMP(3), note TEXT, PRIMARY KEY (salt(4), hash(host), reverse_digits(id), ts DESC, host));
INSERT INTO event VALUES (1234, 'web-1', '2024-01-01 00:00:00', 'a'), (7, 'web-2', '2024-01-02 00:00:00', NULL), (1234, 'web-1', '2024-01-02 00:00:00', 'b');
---
warning: table `event`: wide key `reverse_digits(id)`: parts of fixed width take 35 bytes of every row's key; above 16, narrower types or fewer parts make tables smaller and scans faster
CREATE TABLE
INSERT 3

SELECT * FROM keys('event');
---
+---------+------------------+---------------------+---------------------+-------+----------------------------------------------------------------------------------------+
| salt(4) | hash(host)       | reverse_digits(id)  | ts                  | host  | row_key                                                                                |
+---------+------------------+---------------------+---------------------+-------+----------------------------------------------------------------------------------------+
| 0       | ce3f0550dc4eb434 | 4321000000000000000 | 2024-01-01T00:00:00 | web-1 | 00ce3f0550dc4eb434343332313030303030303030303030303030307ffffe733dae0bff7765622d310001 |
| 1       | 0a7a9f713d3d80d9 | 7000000000000000000 | 2024-01-02T00:00:00 | web-2 | 010a7a9f713d3d80d9373030303030303030303030303030303030307ffffe733887afff7765622d320001 |
| 2       | ce3f0550dc4eb434 | 4321000000000000000 | 2024-01-02T00:00:00 | web-1 | 02ce3f0550dc4eb434343332313030303030303030303030303030307ffffe733887afff7765622d310001 |
+---------+------------------+---------------------+---------------------+-------+----------------------------------------------------------------------------------------+

CREATE TABLE spread (phone TEXT, n INT, at DATE, PRIMARY KEY (bucket(8, n), reverse(phone), n % 10, md5(phone), left(phone, 2), n / 100, n, phone));
INSERT INTO spread VALUES ('0171', 123, '2024-02-29'), ('', -5, NULL);
SELECT * FROM keys('spread');
---
warning: table `spread`: wide key `md5(phone)`: parts of fixed width take 28 bytes of every row's key; above 16, narrower types or fewer parts make tables smaller and scans faster
warning: table `spread`: useless part `md5(phone)`: its value follows from the parts in front of it: there it spreads no rows and narrows no scan, and takes room in every key; put it in front of them, or leave it out
warning: table `spread`: useless part `left(phone, 2)`: its value follows from the parts in front of it: there it spreads no rows and narrows no scan, and takes room in every key; put it in front of them, or leave it out
warning: table `spread`: useless part `phone`: its value follows from the parts in front of it: there it spreads no rows and narrows no scan, and takes room in every key; put it in front of them, or leave it out
CREATE TABLE
INSERT 2
+--------------+----------------+--------+----------------------------------+----------------+---------+-----+-------+--------------------------------------------------------------------------------------------+
| bucket(8, n) | reverse(phone) | n % 10 | md5(phone)                       | left(phone, 2) | n / 100 | n   | phone | row_key                                                                                    |
+--------------+----------------+--------+----------------------------------+----------------+---------+-----+-------+--------------------------------------------------------------------------------------------+
| 2            |                | -5     | d41d8cd98f00b204e9800998ecf8427e |                | 0       | -5  |       | 0200017ffffffbd41d8cd98f00b204e9800998ecf8427e0001800000007ffffffb0001                     |
| 7            | 1710           | 3      | 898dc2c947cee718e4afd7dfcb2f1a09 | 01             | 1       | 123 | 0171  | 0731373130000180000003898dc2c947cee718e4afd7dfcb2f1a0930310001800000018000007b303137310001 |
+--------------+----------------+--------+----------------------------------+----------------+---------+-----+-------+--------------------------------------------------------------------------------------------+

SELECT n, bucket(8, n) AS b, arrow_typeof(bucket(8, n)) AS bucket_type, hash(phone) AS h, arrow_typeof(hash(phone)) AS hash_type, reverse_digits(abs(n)) AS r, arrow_typeof(reverse_digits(abs(n))) AS digits_type FROM spread ORDER BY n;
---
+-----+---+-------------+------------------+-----------+------------+-------------+
| n   | b | bucket_type | h                | hash_type | r          | digits_type |
+-----+---+-------------+------------------+-----------+------------+-------------+
| -5  | 2 | Int32       | 2d06800538d394c2 | Binary    | 5000000000 | Utf8        |
| 123 | 7 | Int32       | 4f174013aeda4059 | Binary    | 3210000000 | Utf8        |
+-----+---+-------------+------------------+-----------+------------+-------------+

SELECT bucket(16, 7) AS one, bucket(16, 'x') AS two, hash('x') AS three, reverse_digits(1234) AS four, reverse_digits(CAST(12 AS SMALLINT)) AS five;
---
+-----+-----+------------------+---------------------+-------+
| one | two | three            | four                | five  |
+-----+-----+------------------+---------------------+-------+
| 12  | 1   | eaf06c6480b2cd11 | 4321000000000000000 | 21000 |
+-----+-----+------------------+---------------------+-------+

SELECT bucket(16, NULL) AS one, hash(NULL) AS two;
---
+-----+------------------+
| one | two              |
+-----+------------------+
| 14  | d6bcec3c6b29d72e |
+-----+------------------+

SELECT k.n FROM keys('spread') AS k WHERE k."bucket(8, n)" <> bucket(8, k.n) OR k."reverse(phone)" <> reverse(k.phone);
---
++
++

SELECT reverse_digits('x');
---
error: InvalidInput: reverse_digits: reverse_digits takes a column of whole numbers up to BIGINT; `argument 1` is TEXT

SELECT bucket(0, 1);
---
error: InvalidInput

SELECT bucket(n, n) FROM spread;
---
error: InvalidInput

SELECT salt(4);
---
error: InvalidInput

SELECT * FROM keys('nowhere');
---
error: InvalidInput, table `nowhere`

SELECT * FROM keys(1);
---
error: InvalidInput

CREATE TABLE named (row_key INT, PRIMARY KEY (row_key));
INSERT INTO named VALUES (1);
SELECT * FROM keys('named');
---
CREATE TABLE
INSERT 1
+---------+----------+
| row_key | row_key_ |
+---------+----------+
| 1       | 80000001 |
+---------+----------+

SHOW TRANSFORMS;
---
+-----------------------+------------------------------------------------------------------------------------------------------------------------------------------------------+-----------------------------------------------------------------------------------------------------------------------------------------------------------------+
| key_part              | stores                                                                                                                                               | pushdown                                                                                                                                                        |
+-----------------------+------------------------------------------------------------------------------------------------------------------------------------------------------+-----------------------------------------------------------------------------------------------------------------------------------------------------------------+
| c                     | the column, encoded so that bytes are ordered as values are                                                                                          | =, IN, ranges, prefix LIKE, IS [NOT] NULL and tuple comparisons become key ranges                                                                               |
| salt(n)               | the hash of the source columns of all other parts modulo n: in one byte up to 256 buckets, else in two                                               | all those columns pinned: one bucket; else all n, side by side                                                                                                  |
| bucket(n, c, …)       | the hash of the named columns modulo n: in one byte up to 256 buckets, else in two                                                                   | = or IN on all of the columns: just their buckets; else all n, side by side                                                                                     |
| random_salt(n)        | one of n buckets, in turn, and the next one where the key is taken; for tables that are only appended to: in one byte up to 256 buckets, else in two | always all n, side by side                                                                                                                                      |
| hash(c, …)            | xxh3-64 of the named columns: 8 bytes                                                                                                                | = or IN on all of the columns, or on the hash: points                                                                                                           |
| md5(c)                | the MD5 of a TEXT or BYTEA column: 16 bytes; in SQL its 32 hexadecimal digits                                                                        | = or IN on the column, or on md5(c): points                                                                                                                     |
| reverse(c)            | a text column's characters, last one first                                                                                                           | = and IN: points; LIKE '%1234' on the column, or ranges of reverse(c): a range                                                                                  |
| reverse_digits(c)     | the decimal digits of a whole number that is not negative, zero-padded to the type's width, last one first                                           | = and IN: points; c % 10000 = 1234: a range                                                                                                                     |
| dict(c)               | 4 bytes: the id that a text has in a dictionary, which is kept with the table; ids are given in the order in which texts come                        | = and IN: points, looked up in the dictionary, and nothing is read for a text that it does not have; prefixes and ranges: points, where the dictionary is small |
| left(c, n)            | the first n characters of a text column                                                                                                              | =, IN, ranges and prefix LIKE on the column or on left(c, n): ranges                                                                                            |
| c / n                 | a whole number divided by n, rounded towards zero                                                                                                    | =, IN and ranges on the column or on c / n: ranges                                                                                                              |
| date_trunc(unit, c)   | a stamp rounded down to a microsecond, millisecond, second, minute, hour, day, week, month, quarter or year, in UTC                                  | =, IN and ranges on the column or on date_trunc(unit, c): ranges                                                                                                |
| date_bin(interval, c) | a stamp rounded down to a multiple of the interval since 1970-01-01 00:00:00 UTC                                                                     | =, IN and ranges on the column or on date_bin(interval, c): ranges                                                                                              |
| CAST(c AS DATE)       | the day of a stamp, in UTC                                                                                                                           | =, IN and ranges on the column or on CAST(c AS DATE): ranges                                                                                                    |
| c % n                 | the remainder of a whole number divided by n, with the number's sign: −(n−1) … n−1                                                                   | = and IN on the column or on c % n: points; a range on the column: every remainder of a possible sign, side by side                                             |
| 'text' or number      | the constant: a TEXT or a BIGINT                                                                                                                     | always pinned                                                                                                                                                   |
+-----------------------+------------------------------------------------------------------------------------------------------------------------------------------------------+-----------------------------------------------------------------------------------------------------------------------------------------------------------------+

