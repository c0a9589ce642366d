-- What the second process writes before it is killed: a load in sorted files, and rows that are in the log alone.
CREATE TABLE loaded (a INT, b TEXT, PRIMARY KEY (a)) SPLIT (20, 40);
SET halite.statement_memory = 1000;
INSERT INTO loaded SELECT i, 'text ' || i FROM generate_series(1, 60) AS i;
RESET halite.statement_memory;
CREATE TABLE logged (a TEXT, b INT, PRIMARY KEY (a)) SPLIT ('one');
INSERT INTO logged VALUES ('one', 1), ('two', 2);
INSERT INTO by_name VALUES ('new', 6);
