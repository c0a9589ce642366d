-- EXPLAIN KEYS: what it says of each scan
CREATE TABLE orders (customer_id INT, ts TIMESTAMP(3), order_id BIGINT, amount INT, PRIMARY KEY (customer_id, ts DESC, order_id));
CREATE TABLE by_day (customer_id INT, ts TIMESTAMP(3), order_id BIGINT, PRIMARY KEY (date_trunc('day', ts), customer_id, ts, order_id));
CREATE TABLE event (kind INT, day DATE, n BIGINT, v INT, PRIMARY KEY (salt(16), kind, day, n));
CREATE TABLE visit (host TEXT, ts TIMESTAMP(3), v INT, PRIMARY KEY (bucket(8, host), host, ts));
---
warning: table `orders`: wide key `ts`: parts of fixed width take 20 bytes of every row's key; above 16, narrower types or fewer parts make tables smaller and scans faster
CREATE TABLE
warning: table `by_day`: wide key `date_trunc('day', ts)`: parts of fixed width take 28 bytes of every row's key; above 16, narrower types or fewer parts make tables smaller and scans faster
warning: table `by_day`: leading timestamp `date_trunc('day', ts)`: rows that arrive in the order of time are all written at one end of the table; salt(n) or bucket(n, …) in front spreads them
CREATE TABLE
CREATE TABLE
CREATE TABLE

-- a walk: what its keys are like, at both ends
EXPLAIN KEYS SELECT * FROM orders WHERE order_id = 5;
EXPLAIN KEYS SELECT * FROM orders WHERE customer_id > 7 AND order_id IN (1, 2, 9);
EXPLAIN KEYS SELECT * FROM orders WHERE ts >= '2024-01-01' AND (amount > 3 OR order_id = 5);
---
orders walk /*/*/5  ..  tight
orders walk /8..*/*/{1..2, 9}  80000008..  tight
orders walk /*/2024-01-01T00:00:00.000..*/*  ..  residual: amount > 3 OR order_id = 5 (amount is not in the row key)

-- no calendar has the last day that a time can be cut to: it is no bound
EXPLAIN KEYS SELECT * FROM by_day WHERE order_id = 5;
EXPLAIN KEYS SELECT * FROM by_day WHERE customer_id = 1 AND ts >= '2024-01-01 12:00' AND order_id = 5;
EXPLAIN KEYS SELECT * FROM by_day WHERE ts >= '2024-01-01 12:00';
---
by_day walk /*/*/*/5  ..fffffffffe73a401  tight
by_day walk /2024-01-01T00:00:00.001..*/1/*/5 | /2024-01-01T00:00:00.000/1/2024-01-01T12:00:00.000..*/5  8000018cc251f400800000018000018cc4e522008000000000000005..fffffffffe73a401  tight
by_day walk /2024-01-01T00:00:00.001..*/* | /2024-01-01T00:00:00.000/*/2024-01-01T12:00:00.000..*/*  8000018cc251f400..fffffffffe73a401  tight

-- buckets that differ in nothing else are one row; VERBOSE has each, with its bytes
EXPLAIN KEYS SELECT * FROM event WHERE kind = 7;
EXPLAIN KEYS VERBOSE SELECT * FROM event WHERE kind = 7 AND n = 3;
EXPLAIN KEYS SELECT * FROM event WHERE kind = 7 AND n = 3;
EXPLAIN KEYS SELECT * FROM event;
EXPLAIN KEYS SELECT * FROM event WHERE kind IN (1, 5) AND day = DATE '2024-01-02' AND n BETWEEN 1 AND 3;
EXPLAIN KEYS SELECT * FROM visit WHERE host IN ('a', 'b', 'c');
EXPLAIN KEYS SELECT * FROM visit WHERE host LIKE 'web%' AND ts = '2024-01-01';
EXPLAIN KEYS verbose SELECT * FROM visit WHERE host = 'a';
---
event range [0–15] /0..15/7/*  tight
event walk [0] /0/7/*/3  0080000007..0080000008  tight
event walk [1] /1/7/*/3  0180000007..0180000008  tight
event walk [2] /2/7/*/3  0280000007..0280000008  tight
event walk [3] /3/7/*/3  0380000007..0380000008  tight
event walk [4] /4/7/*/3  0480000007..0480000008  tight
event walk [5] /5/7/*/3  0580000007..0580000008  tight
event walk [6] /6/7/*/3  0680000007..0680000008  tight
event walk [7] /7/7/*/3  0780000007..0780000008  tight
event walk [8] /8/7/*/3  0880000007..0880000008  tight
event walk [9] /9/7/*/3  0980000007..0980000008  tight
event walk [10] /10/7/*/3  0a80000007..0a80000008  tight
event walk [11] /11/7/*/3  0b80000007..0b80000008  tight
event walk [12] /12/7/*/3  0c80000007..0c80000008  tight
event walk [13] /13/7/*/3  0d80000007..0d80000008  tight
event walk [14] /14/7/*/3  0e80000007..0e80000008  tight
event walk [15] /15/7/*/3  0f80000007..0f80000008  tight
event walk [0–15] /0..15/7/*/3  tight
event full [0–15] /0..15/*  tight
event point [0] /0/1/2024-01-02/2  008000000180004d0c8000000000000002..008000000180004d0c8000000000000003  tight
event point [1] /1/5/2024-01-02/3  018000000580004d0c8000000000000003..018000000580004d0c8000000000000004  tight
event point [4] /4/5/2024-01-02/1  048000000580004d0c8000000000000001..048000000580004d0c8000000000000002  tight
event point [6] /6/1/2024-01-02/3  068000000180004d0c8000000000000003..068000000180004d0c8000000000000004  tight
event point [9] /9/1/2024-01-02/1  098000000180004d0c8000000000000001..098000000180004d0c8000000000000002  tight
event point [11] /11/5/2024-01-02/2  0b8000000580004d0c8000000000000002..0b8000000580004d0c8000000000000003  tight
visit range [3] /3/c/*  03630001..03630002  tight
visit range [7] /7/a/*  07610001..07610002  tight
visit range [7] /7/b/*  07620001..07620002  tight
visit walk [0–7] /0..7/web*/2024-01-01T00:00:00.000  tight
visit range [7] /7/a/*  07610001..07610002  tight

-- a table that is read twice, and which of its scans is narrowed at run time
EXPLAIN KEYS SELECT * FROM orders a JOIN orders b ON a.customer_id = b.customer_id AND a.ts = b.ts WHERE a.customer_id = 1 AND b.order_id = 2;
EXPLAIN KEYS SELECT o.amount FROM event AS e JOIN orders AS o ON o.customer_id = e.v WHERE e.kind = 1;
EXPLAIN KEYS SELECT * FROM orders WHERE customer_id = (SELECT max(customer_id) FROM orders WHERE amount = 3);
EXPLAIN KEYS SELECT * FROM orders WHERE EXISTS (SELECT 1 FROM orders x WHERE x.order_id = orders.amount AND x.customer_id = 3);
EXPLAIN KEYS SELECT * FROM orders WHERE amount IN (SELECT amount FROM orders WHERE customer_id = 3);
EXPLAIN KEYS WITH c AS (SELECT * FROM orders WHERE amount > 1) SELECT * FROM c x JOIN c y ON x.order_id = y.order_id AND y.customer_id = 5 AND x.customer_id = 6;
EXPLAIN KEYS SELECT * FROM orders o, LATERAL (SELECT sum(v) FROM event e WHERE e.kind = o.amount) s WHERE o.customer_id = 4;
EXPLAIN KEYS SELECT amount FROM orders WHERE customer_id = 1 UNION ALL SELECT v FROM event AS orders WHERE kind = 1;
EXPLAIN KEYS UPDATE orders o SET amount = 1 WHERE o.customer_id = 9;
EXPLAIN KEYS DELETE FROM orders USING event e WHERE orders.customer_id = e.v AND e.kind = 3;
EXPLAIN KEYS SELECT 1 FROM orders WHERE false;
---
orders AS a range /1/*  80000001..80000002  tight
orders AS b walk /1/*/2  80000001..80000002  tight
orders AS b runtime customer_id, ts  ..  tight
event AS e range [0–15] /0..15/1/*  tight
orders AS o full /*  ..  tight
orders AS o runtime customer_id  ..  tight
orders full /*  ..  residual: customer_id@0 = scalar_subquery(<pending>) (came when the key ranges were planned already)
orders runtime customer_id  ..  residual: customer_id@0 = scalar_subquery(<pending>) (came when the key ranges were planned already)
orders full /*  ..  residual: amount = 3 (amount is not in the row key)
orders AS x range /3/*  80000003..80000004  tight
orders full /*  ..  tight
orders AS (subquery 1) range /3/*  80000003..80000004  tight
orders full /*  ..  tight
orders AS x range /6/*  80000006..80000007  residual: amount > 1 (amount is not in the row key)
orders AS y range /5/*  80000005..80000006  residual: amount > 1 (amount is not in the row key)
orders AS y runtime order_id  ..  residual: amount > 1 (amount is not in the row key)
orders AS o full /*  ..  tight
orders AS o full /*  ..  tight
event AS e full [0–15] /0..15/*  tight
event AS e runtime kind  ..  tight
orders AS o range /4/*  80000004..80000005  tight
orders range /1/*  80000001..80000002  tight
event AS orders range [0–15] /0..15/1/*  tight
orders AS o range /9/*  80000009..8000000a  tight
event AS e range [0–15] /0..15/3/*  tight
orders full /*  ..  tight
orders runtime customer_id  ..  tight
 empty   ..  tight

EXPLAIN KEYS VERBOSE;
---
error: InvalidInput: syntax error: Expected: SELECT, VALUES, or a subquery in the query body, found: EOF

EXPLAIN KEYS VERBOSE INSERT INTO event VALUES (1, '2024-01-01', 1, 1);
---
error: InvalidInput

