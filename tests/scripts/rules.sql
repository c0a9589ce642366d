CREATE TABLE account (
    id INT PRIMARY KEY,
    owner TEXT NOT NULL,
    balance DECIMAL(10, 2) DEFAULT 0 CHECK (balance >= 0),
    currency CHAR(3) DEFAULT 'EUR' NOT NULL,
    opened DATE DEFAULT '2024-01-31',
    limits INT DEFAULT NULL,
    CONSTRAINT owner_is_named CHECK (owner <> ''),
    CHECK (balance < limits)
);
SHOW CREATE TABLE account;
DESCRIBE account;
---
CREATE TABLE
+---------+------------------------------------------------------------+
| table   | statement                                                  |
+---------+------------------------------------------------------------+
| account | CREATE TABLE account (                                     |
|         |     id INT NOT NULL,                                       |
|         |     owner TEXT NOT NULL,                                   |
|         |     balance DECIMAL(10, 2) DEFAULT 0,                      |
|         |     currency CHAR(3) NOT NULL DEFAULT 'EUR',               |
|         |     opened DATE DEFAULT '2024-01-31',                      |
|         |     limits INT,                                            |
|         |     CONSTRAINT account_balance_check CHECK (balance >= 0), |
|         |     CONSTRAINT owner_is_named CHECK (owner <> ''),         |
|         |     CONSTRAINT account_check CHECK (balance < limits),     |
|         |     PRIMARY KEY (id)                                       |
|         | )                                                          |
+---------+------------------------------------------------------------+
+----------+----------------+-------+-------+--------------+--------------------------------+
| column   | type           | null  | key   | default      | checks                         |
+----------+----------------+-------+-------+--------------+--------------------------------+
| id       | INT            | false | 1: id |              |                                |
| owner    | TEXT           | false |       |              | owner <> ''                    |
| balance  | DECIMAL(10, 2) | true  |       | 0            | balance >= 0; balance < limits |
| currency | CHAR(3)        | false |       | 'EUR'        |                                |
| opened   | DATE           | true  |       | '2024-01-31' |                                |
| limits   | INT            | true  |       |              | balance < limits               |
+----------+----------------+-------+-------+--------------+--------------------------------+

INSERT INTO account (id, owner) VALUES (1, 'Ann');
INSERT INTO account (owner, id) SELECT 'Bob', 2;
INSERT INTO account VALUES (3, 'Cy', DEFAULT, default, NULL, 100), (4, 'Di', 50, 'USD', DEFAULT, DEFAULT);
SELECT * FROM account;
---
INSERT 1
INSERT 1
INSERT 2
+----+-------+---------+----------+------------+--------+
| id | owner | balance | currency | opened     | limits |
+----+-------+---------+----------+------------+--------+
| 1  | Ann   | 0.00    | EUR      | 2024-01-31 |        |
| 2  | Bob   | 0.00    | EUR      | 2024-01-31 |        |
| 3  | Cy    | 0.00    | EUR      |            | 100    |
| 4  | Di    | 50.00   | USD      | 2024-01-31 |        |
+----+-------+---------+----------+------------+--------+

INSERT INTO account (id, owner, balance) VALUES (5, 'Ed', 1), (6, 'Fay', -1);
INSERT INTO account (id, owner) VALUES (5, '');
INSERT INTO account (id, balance) VALUES (5, 1);
INSERT INTO account (id, owner, balance, limits) VALUES (5, 'Ed', 200, 100);
INSERT INTO account (id, owner, currency) VALUES (5, 'Ed', NULL);
REPLACE INTO account (id, owner, balance) VALUES (1, 'Ann', 7);
SELECT id, owner, balance FROM account;
---
error: InvalidInput, table `account`, constraint `account_balance_check`: row 2: table `account`: constraint `account_balance_check`, CHECK (balance >= 0), does not hold for balance = -1.00
error: InvalidInput, table `account`, constraint `owner_is_named`
error: InvalidInput, table `account`, column `owner`, constraint `NOT NULL`
error: InvalidInput, table `account`, constraint `account_check`
error: InvalidInput, table `account`, column `currency`, constraint `NOT NULL`
INSERT 1
+----+-------+---------+
| id | owner | balance |
+----+-------+---------+
| 1  | Ann   | 7.00    |
| 2  | Bob   | 0.00    |
| 3  | Cy    | 0.00    |
| 4  | Di    | 50.00   |
+----+-------+---------+

CREATE TABLE plain (a INT DEFAULT 5, b TEXT);
INSERT INTO plain DEFAULT VALUES;
INSERT INTO plain VALUES (DEFAULT, DEFAULT);
SELECT * FROM plain;
SELECT * FROM (VALUES (DEFAULT)) AS t;
INSERT INTO plain SELECT DEFAULT, 'x';
---
warning: table `plain`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE
INSERT 1
INSERT 1
+---+---+
| a | b |
+---+---+
| 5 |   |
| 5 |   |
+---+---+
error: NotSupported: DEFAULT among VALUES that are not those of an INSERT is not implemented
error: InvalidInput, column `default`

EXPLAIN INSERT INTO plain (b) VALUES ('x');
---
+---------------+-------------------------------------------------------+
| plan_type     | plan                                                  |
+---------------+-------------------------------------------------------+
| logical_plan  | Dml: op=[Insert Into] table=[plain]                   |
|               |   Projection: Int32(5) AS a, column1 AS b             |
|               |     Values: (Utf8("x"))                               |
| physical_plan | InsertExec: table=plain                               |
|               |   ProjectionExec: expr=[5 as a, column1@0 as b]       |
|               |     DataSourceExec: partitions=1, partition_sizes=[1] |
|               |                                                       |
+---------------+-------------------------------------------------------+

CREATE TABLE alike LIKE account;
INSERT INTO alike (id, owner, balance) VALUES (1, 'Ann', -2);
CREATE TABLE named (a INT, CONSTRAINT positive CHECK (a > 0), CHECK (a < 10), CHECK (a <> 5));
SHOW CREATE TABLE named;
CREATE TABLE bad (a INT UNIQUE);
CREATE TABLE bad (a INT REFERENCES named (a));
CREATE TABLE bad (a INT, UNIQUE (a));
CREATE TABLE bad (a INT, FOREIGN KEY (a) REFERENCES named (a));
---
CREATE TABLE
error: InvalidInput, table `alike`, constraint `account_balance_check`
warning: table `named`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by
CREATE TABLE
+-------+----------------------------------------------+
| table | statement                                    |
+-------+----------------------------------------------+
| named | CREATE TABLE named (                         |
|       |     a INT,                                   |
|       |     CONSTRAINT positive CHECK (a > 0),       |
|       |     CONSTRAINT named_a_check CHECK (a < 10), |
|       |     CONSTRAINT named_a_check1 CHECK (a <> 5) |
|       | )                                            |
+-------+----------------------------------------------+
error: NotSupported, table `bad`, column `a`: table `bad`: column `a`: `UNIQUE`
error: NotSupported, table `bad`, column `a`: table `bad`: column `a`: `REFERENCES named (a)`
error: NotSupported, table `bad`: table `bad`: `UNIQUE (a)`
error: NotSupported, table `bad`: table `bad`: `FOREIGN KEY (a) REFERENCES named(a)`

