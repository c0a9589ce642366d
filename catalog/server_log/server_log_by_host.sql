-- A log by machine and event: each pair of them is written at a place of its own, and read as one range. Names that
-- begin alike stand together.
CREATE TABLE server_log_by_host (
    ts TIMESTAMP(3), host TEXT, event TEXT, message TEXT NOT NULL,
    PRIMARY KEY (host, event, ts)
);

COPY server_log_by_host FROM 'data/server_log.parquet' (FORMAT parquet);
