-- A log by time. Whatever is reported is reported now, at the end of the table; eight buckets, told by the time, make
-- eight ends of it. A moment is in one bucket, a stretch of time in all of them.
CREATE TABLE server_log_by_time (
    ts TIMESTAMP(3), host TEXT, event TEXT, message TEXT NOT NULL,
    PRIMARY KEY (bucket(8, ts), ts, host, event)
);

COPY server_log_by_time FROM 'data/server_log.parquet' (FORMAT parquet);
