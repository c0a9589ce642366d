-- What the second process writes before it is killed: a load in sorted files, and what is in the log alone.
CREATE TABLE loaded (id UUID PRIMARY KEY, l INT[] DEFAULT [7], n INT AS (cardinality(l)));
SET halite.statement_memory = 1;
INSERT INTO loaded (id, l) SELECT 'f81d4fae-7dec-11d0-a765-0000000000' || lpad(n::TEXT, 2, '0'), [n, NULL] FROM generate_series(1, 9) AS s (n);
SET halite.statement_memory = 134217728;
INSERT INTO loaded (id) VALUES ('00000000-0000-0000-0000-000000000001');
DELETE FROM loaded WHERE id LIKE '%7';
INSERT INTO keyless VALUES (4, 'in the log');
INSERT INTO numbered (price, count) VALUES (9, 9);
UPDATE numbered SET count = 4 WHERE id = 1;
ALTER TABLE keyless ADD COLUMN c TIME;
CREATE TABLE logged (a INT UNSIGNED PRIMARY KEY, b JSON);
INSERT INTO logged VALUES (4000000000, '[]');
COMMENT ON TABLE logged IS 'in the log';
CREATE SEQUENCE late;
