CREATE TABLE ab (a INT NOT NULL, b INT NOT NULL, PRIMARY KEY (a, b));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM ab WHERE (a=1 AND b=2) OR (a=3 AND b=4);
---
ab point /1/2  8000000180000002..8000000180000003  tight
ab point /3/4  8000000380000004..8000000380000005  tight

EXPLAIN KEYS SELECT * FROM ab WHERE a=1 AND b=3 AND (a,b) > (1,5);
---
ab empty   ..  tight

EXPLAIN KEYS SELECT * FROM ab WHERE a > 1 AND a < 2;
---
ab empty   ..  tight

EXPLAIN KEYS SELECT * FROM ab WHERE a NOT IN (1, NULL);
---
 empty   ..  tight

EXPLAIN KEYS SELECT * FROM ab WHERE a > 2147483647;
---
 empty   ..  tight

EXPLAIN KEYS SELECT * FROM ab WHERE a > 1 OR (a=1 AND b>2);
---
ab range /1/3 .. /*  8000000180000003..  tight

EXPLAIN KEYS SELECT * FROM ab WHERE (a,b) > (1,2);
---
ab range /1/3 .. /*  8000000180000003..  tight

EXPLAIN KEYS SELECT * FROM ab WHERE (a,b)>=(1,5) AND (a,b)<(3,8) AND a IN (1,3) AND (b>=6 AND b<9 OR b>3 AND b<=5);
---
ab range /1/5 .. /1/8  8000000180000005..8000000180000009  tight
ab range /3/4 .. /3/7  8000000380000004..8000000380000008  tight

CREATE TABLE nulls_last (a INT NOT NULL, b INT NULL, PRIMARY KEY (a, b));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM nulls_last WHERE (a,b) > (1,2);
---
nulls_last range /1/3 .. /1/*  800000010180000003..8000000102  tight
nulls_last range /2/* .. /*  80000002..  tight

EXPLAIN KEYS SELECT * FROM nulls_last WHERE (a,b) < (1,2);
---
nulls_last range /* .. /1/1  ..800000010180000002  tight

CREATE TABLE nulls_first (a INT NOT NULL, b INT NULL, PRIMARY KEY (a, b ASC NULLS FIRST));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM nulls_first WHERE (a,b) > (1,2);
---
nulls_first range /1/3 .. /*  800000010180000003..  tight

EXPLAIN KEYS SELECT * FROM nulls_first WHERE (a,b) < (1,2);
---
nulls_first range /* .. /0/*  ..80000001  tight
nulls_first range /1/* .. /1/1  8000000101..800000010180000002  tight

CREATE TABLE descending (a INT NOT NULL, b INT NOT NULL, PRIMARY KEY (a, b DESC));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM descending WHERE (a,b) IN ((1,2),(3,4));
---
descending point /1/2  800000017ffffffd..800000017ffffffe  tight
descending point /3/4  800000037ffffffb..800000037ffffffc  tight

EXPLAIN KEYS SELECT * FROM descending WHERE (a,b) > (1,2);
---
descending range /1/* .. /1/3  80000001..800000017ffffffd  tight
descending range /2/* .. /*  80000002..  tight

CREATE TABLE big (a BIGINT NOT NULL, PRIMARY KEY (a));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM big WHERE a > 9007199254740993.0;
---
big range /9007199254740994 .. /*  8020000000000002..  tight

CREATE TABLE money (a DECIMAL(10,2) NOT NULL, PRIMARY KEY (a));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM money WHERE a > 9.999;
---
money range /10.00 .. /*  80000000000003e8..  tight

CREATE TABLE stamps (a TIMESTAMP(3) NOT NULL, PRIMARY KEY (a));
---
warning: table `stamps`: leading timestamp `a`: rows that arrive in the order of time are all written at one end of the table; salt(n) or bucket(n, …) in front spreads them
CREATE TABLE

EXPLAIN KEYS SELECT * FROM stamps WHERE a = TIMESTAMP '2024-01-01 00:00:00.0005';
---
 empty   ..  tight

EXPLAIN KEYS SELECT * FROM stamps WHERE a > TIMESTAMP '3001-01-01 00:00:00';
---
stamps range /3001-01-01T00:00:00.001 .. /*  80001d9731fe0c01..  tight

INSERT INTO stamps VALUES ('3002-01-01T00:00:00');
SELECT * FROM stamps WHERE a > TIMESTAMP '3001-01-01 00:00:00';
---
INSERT 1
+---------------------+
| a                   |
+---------------------+
| 3002-01-01T00:00:00 |
+---------------------+

CREATE TABLE salted (a INT NOT NULL, PRIMARY KEY (salt(16), a));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM salted WHERE a = 7;
---
salted point [12] /12/7  0c80000007..0c80000008  tight

CREATE TABLE salted_pair (a INT NOT NULL, b INT NOT NULL, PRIMARY KEY (salt(16), a, b));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM salted_pair WHERE a = 7;
EXPLAIN KEYS VERBOSE SELECT * FROM salted_pair WHERE a = 7;
---
salted_pair range [0–15] /0..15/7/*  tight
salted_pair range [0] /0/7/*  0080000007..0080000008  tight
salted_pair range [1] /1/7/*  0180000007..0180000008  tight
salted_pair range [2] /2/7/*  0280000007..0280000008  tight
salted_pair range [3] /3/7/*  0380000007..0380000008  tight
salted_pair range [4] /4/7/*  0480000007..0480000008  tight
salted_pair range [5] /5/7/*  0580000007..0580000008  tight
salted_pair range [6] /6/7/*  0680000007..0680000008  tight
salted_pair range [7] /7/7/*  0780000007..0780000008  tight
salted_pair range [8] /8/7/*  0880000007..0880000008  tight
salted_pair range [9] /9/7/*  0980000007..0980000008  tight
salted_pair range [10] /10/7/*  0a80000007..0a80000008  tight
salted_pair range [11] /11/7/*  0b80000007..0b80000008  tight
salted_pair range [12] /12/7/*  0c80000007..0c80000008  tight
salted_pair range [13] /13/7/*  0d80000007..0d80000008  tight
salted_pair range [14] /14/7/*  0e80000007..0e80000008  tight
salted_pair range [15] /15/7/*  0f80000007..0f80000008  tight

CREATE TABLE bucketed (a INT NOT NULL, b INT NOT NULL, PRIMARY KEY (bucket(16,a), a, b));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM bucketed WHERE a IN (7,8) AND b > 3;
---
bucketed range [2] /2/8/4 .. /2/8/*  028000000880000004..0280000009  tight
bucketed range [12] /12/7/4 .. /12/7/*  0c8000000780000004..0c80000008  tight

EXPLAIN KEYS SELECT * FROM bucketed WHERE a IN (7,9) AND b > 3;
---
bucketed range [12] /12/7/4 .. /12/7/*  0c8000000780000004..0c80000008  tight
bucketed range [12] /12/9/4 .. /12/9/*  0c8000000980000004..0c8000000a  tight

CREATE TABLE one_bucket (a INT NOT NULL, b INT NOT NULL, PRIMARY KEY (bucket(1,a), a, b));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM one_bucket WHERE a IN (7,8) AND b > 3;
---
one_bucket range [0] /0/7/4 .. /0/7/*  008000000780000004..0080000008  tight
one_bucket range [0] /0/8/4 .. /0/8/*  008000000880000004..0080000009  tight

CREATE TABLE reversed (phone TEXT, PRIMARY KEY (reverse(phone)));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM reversed WHERE phone LIKE '%1234';
---
reversed range /4321*  343332310001..343332320001  tight

CREATE TABLE digits (n BIGINT, PRIMARY KEY (reverse_digits(n)));
---
warning: table `digits`: wide key `reverse_digits(n)`: parts of fixed width take 19 bytes of every row's key; above 16, narrower types or fewer parts make tables smaller and scans faster
CREATE TABLE

EXPLAIN KEYS SELECT * FROM digits WHERE n % 10000 = 1234;
---
digits range /4321*  34333231000000000000000000000000000000..34333232  tight

CREATE TABLE hashed_and_stored (c TEXT, PRIMARY KEY (hash(c), c));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM hashed_and_stored WHERE c = 'x';
---
hashed_and_stored point /\xeaf06c6480b2cd11/x  eaf06c6480b2cd11780001..eaf06c6480b2cd11780002  tight

CREATE TABLE hashed (c TEXT, PRIMARY KEY (hash(c)));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM hashed WHERE c = 'x';
---
hashed point /\xeaf06c6480b2cd11  eaf06c6480b2cd11..eaf06c6480b2cd12  residual: c = 'x' (of c the row key has only hash(c))

CREATE TABLE newest (user_id TEXT, ts TIMESTAMP(3), PRIMARY KEY (user_id, ts DESC));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM newest WHERE user_id='u' AND ts >= '2024-01-01T10:00:00' AND ts < '2024-01-01T12:00:00';
---
newest range /u/2024-01-01T11:59:59.999 .. /u/2024-01-01T10:00:00.000  7500017ffffe733b1ade00..7500017ffffe733b88bb  tight

INSERT INTO newest VALUES ('t', '2024-01-01T00:00:00'), ('u', '2024-01-01T00:00:00'), ('u', '2024-01-02T00:00:00'), ('u', '2024-01-03T00:00:00'), ('v', '2024-01-01T00:00:00');
---
INSERT 5

EXPLAIN KEYS SELECT * FROM newest WHERE user_id='u' ORDER BY ts DESC LIMIT 1;
---
newest range /u/*  750001..750002  tight

CREATE TABLE hourly (ts TIMESTAMP(3), host TEXT, PRIMARY KEY (date_trunc('hour', ts), host, ts));
---
warning: table `hourly`: leading timestamp `date_trunc('hour', ts)`: rows that arrive in the order of time are all written at one end of the table; salt(n) or bucket(n, …) in front spreads them
CREATE TABLE

EXPLAIN KEYS SELECT * FROM hourly WHERE ts >= '2024-01-01T10:15:00' AND ts < '2024-01-01T13:00:00' AND host='h';
---
hourly range /2024-01-01T10:00:00.000/h/2024-01-01T10:15:00.000 .. /2024-01-01T10:00:00.000/h/*  8000018cc47745006800018000018cc48500a0..8000018cc4774500680002  tight
hourly range /2024-01-01T11:00:00.000/h/*  8000018cc4ae3380680001..8000018cc4ae3380680002  tight
hourly range /2024-01-01T12:00:00.000/h/*  8000018cc4e52200680001..8000018cc4e52200680002  tight

EXPLAIN KEYS SELECT * FROM hourly WHERE ts >= '2024-01-01T10:15:00' AND host='h';
---
hourly walk /2024-01-01T10:00:00.001..*/h/* | /2024-01-01T10:00:00.000/h/2024-01-01T10:15:00.000..*  8000018cc47745006800018000018cc48500a0..fffffffffff42981  tight

CREATE TABLE hours (ts TIMESTAMP(3), PRIMARY KEY (date_trunc('hour', ts), ts));
---
warning: table `hours`: leading timestamp `date_trunc('hour', ts)`: rows that arrive in the order of time are all written at one end of the table; salt(n) or bucket(n, …) in front spreads them
CREATE TABLE

EXPLAIN KEYS SELECT * FROM hours WHERE ts >= '2024-01-01T10:15:00' AND ts < '2024-01-02T13:30:00';
---
hours range /2024-01-01T10:00:00.000/2024-01-01T10:15:00.000 .. /2024-01-02T13:00:00.000/2024-01-02T13:29:59.999  8000018cc47745008000018cc48500a0..8000018cca426c808000018cca5de3c0  tight

EXPLAIN SELECT * FROM hours ORDER BY ts;
---
+---------------+-----------------------------------------------------------------+
| plan_type     | plan                                                            |
+---------------+-----------------------------------------------------------------+
| logical_plan  | Sort: hours.ts ASC NULLS LAST                                   |
|               |   TableScan: hours projection=[ts]                              |
| physical_plan | ScanExec: table=hours, ranges=1, order=forward, projection=[ts] |
|               |                                                                 |
+---------------+-----------------------------------------------------------------+

CREATE TABLE hours_down (ts TIMESTAMP(3), PRIMARY KEY (date_trunc('hour', ts) DESC, ts DESC));
---
warning: table `hours_down`: leading timestamp `date_trunc('hour', ts)`: rows that arrive in the order of time are all written at one end of the table; salt(n) or bucket(n, …) in front spreads them
CREATE TABLE

EXPLAIN SELECT * FROM hours_down ORDER BY ts DESC;
---
+---------------+----------------------------------------------------------------------+
| plan_type     | plan                                                                 |
+---------------+----------------------------------------------------------------------+
| logical_plan  | Sort: hours_down.ts DESC NULLS FIRST                                 |
|               |   TableScan: hours_down projection=[ts]                              |
| physical_plan | ScanExec: table=hours_down, ranges=1, order=forward, projection=[ts] |
|               |                                                                      |
+---------------+----------------------------------------------------------------------+

CREATE TABLE three (a INT, b INT, c INT, PRIMARY KEY (a, b, c));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM three WHERE a IN (0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60, 63, 66, 69, 72, 75, 78, 81, 84, 87, 90, 93, 96, 99, 102, 105, 108, 111, 114, 117, 120, 123, 126, 129, 132, 135, 138, 141, 144, 147, 150, 153, 156, 159, 162, 165, 168, 171, 174, 177, 180, 183, 186, 189, 192, 195, 198, 201, 204, 207, 210, 213, 216, 219, 222, 225, 228, 231, 234, 237, 240, 243, 246, 249, 252, 255, 258, 261, 264, 267, 270, 273, 276, 279, 282, 285, 288, 291, 294, 297) AND b IN (0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60, 63, 66, 69, 72, 75, 78, 81, 84, 87, 90, 93, 96, 99, 102, 105, 108, 111, 114, 117, 120, 123, 126, 129, 132, 135, 138, 141, 144, 147, 150, 153, 156, 159, 162, 165, 168, 171, 174, 177, 180, 183, 186, 189, 192, 195, 198, 201, 204, 207, 210, 213, 216, 219, 222, 225, 228, 231, 234, 237, 240, 243, 246, 249, 252, 255, 258, 261, 264, 267, 270, 273, 276, 279, 282, 285, 288, 291, 294, 297) AND c IN (0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60, 63, 66, 69, 72, 75, 78, 81, 84, 87, 90, 93, 96, 99, 102, 105, 108, 111, 114, 117, 120, 123, 126, 129, 132, 135, 138, 141, 144, 147, 150, 153, 156, 159, 162, 165, 168, 171, 174, 177, 180, 183, 186, 189, 192, 195, 198, 201, 204, 207, 210, 213, 216, 219, 222, 225, 228, 231, 234, 237, 240, 243, 246, 249, 252, 255, 258, 261, 264, 267, 270, 273, 276, 279, 282, 285, 288, 291, 294, 297);
---
three walk /{0, 3, 6, 9, … 100 in all}/{0, 3, 6, 9, … 100 in all}/{0, 3, 6, 9, … 100 in all}  800000008000000080000000..8000012a  tight

CREATE TABLE remainder4 (a INT, PRIMARY KEY (a % 4, a));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM remainder4 WHERE a % 4 = 1;
---
remainder4 range /1/*  80000001..80000002  tight

CREATE TABLE remainder16 (a INT, PRIMARY KEY (a % 16, a));
---
CREATE TABLE

EXPLAIN KEYS SELECT * FROM remainder16 WHERE a = -7;
---
remainder16 point /-7/-7  7ffffff97ffffff9..7ffffff97ffffffa  tight

