-- What the second process writes before it is killed: a load in sorted files, and rows that are in the log alone.
CREATE TABLE loaded (a INT PRIMARY KEY, b INT, c TEXT) WITH (families = 'apart(c)');
SET halite.statement_memory = 1000;
INSERT INTO loaded SELECT i, i * 10, 'row ' || i FROM generate_series(1, 60) AS i;
RESET halite.statement_memory;
CREATE TABLE logged (a INT PRIMARY KEY, b INT, c TEXT) WITH (families = 'apart(c)');
INSERT INTO logged VALUES (1, 2, 'c'), (2, NULL, NULL);
UPDATE logged SET c = 'changed' WHERE a = 2;
