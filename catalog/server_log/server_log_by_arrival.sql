-- A log by time alone, for lines that only ever come: nothing but the time is in the key, and eight buckets, in turn, make
-- eight ends of the table. Lines of one moment are in different buckets, so that up to eight of them have room. No query
-- knows the bucket of a line: a moment, too, is looked up in all of them.
CREATE TABLE server_log_by_arrival (
    ts TIMESTAMP(3), host TEXT NOT NULL, event TEXT NOT NULL, message TEXT NOT NULL,
    PRIMARY KEY (random_salt(8), ts)
);

COPY server_log_by_arrival FROM 'data/server_log.parquet' (FORMAT parquet);
