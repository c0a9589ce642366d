-- A log by machine and event, as numbers of four bytes: a dictionary that is kept with the table has the number of each
-- name, and the name of each number, so that no name is in the value either. Names that begin alike are anywhere.
CREATE TABLE server_log_by_number (
    ts TIMESTAMP(3), host TEXT, event TEXT, message TEXT NOT NULL,
    PRIMARY KEY (dict(host), dict(event), ts)
);

COPY server_log_by_number FROM 'data/server_log.parquet' (FORMAT parquet);
