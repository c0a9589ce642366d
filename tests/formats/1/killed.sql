-- What the second process writes before it is killed. What takes more memory than it is allowed is loaded in sorted files;
-- all else is in the log alone.
CREATE TABLE loaded (id INT, v TEXT, PRIMARY KEY (bucket(2, id), id));
SET halite.statement_memory = 1;
INSERT INTO loaded SELECT n, 'loaded ' || n FROM generate_series(1, 20) AS s (n);
INSERT INTO changed VALUES (9, 'loaded'), (10, 'loaded');
DELETE FROM loaded WHERE id BETWEEN 5 AND 16;
SET halite.statement_memory = 134217728;
REPLACE INTO loaded VALUES (3, 'in the log');
DELETE FROM loaded WHERE id = 4;

CREATE TABLE logged (id INT, v TEXT, PRIMARY KEY (id DESC));
INSERT INTO logged VALUES (1, 'one'), (2, NULL), (3, '');
REPLACE INTO changed VALUES (1, 'replaced'), (9, 'replaced');
DELETE FROM changed WHERE id IN (2, 10);
INSERT INTO changed VALUES (11, 'new');
