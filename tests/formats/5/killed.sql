-- What the second process writes before it is killed: a load in sorted files, and rows and texts that are in the log alone.
CREATE TABLE loaded (a TEXT, b INT, PRIMARY KEY (dict(a), b));
SET halite.statement_memory = 1000;
INSERT INTO loaded SELECT 'text ' || i % 7, i FROM generate_series(1, 60) AS i;
RESET halite.statement_memory;
CREATE TABLE logged (a TEXT, b INT, PRIMARY KEY (dict(a), b));
INSERT INTO logged VALUES ('one', 1), ('two', 2);
UPDATE logged SET a = 'three' WHERE a = 'two';
INSERT INTO metric VALUES ('new', 'web-2', '2024-01-03', 4);
