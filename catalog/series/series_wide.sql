-- Measurements, a row for each machine and minute, with ten columns: what was measured together is read together, under
-- one key instead of ten.
CREATE TABLE series_wide (
    host TEXT, ts TIMESTAMP(3),
    cpu_user DOUBLE NOT NULL, cpu_system DOUBLE NOT NULL, cpu_idle DOUBLE NOT NULL, cpu_iowait DOUBLE NOT NULL,
    cpu_steal DOUBLE NOT NULL, memory_used DOUBLE NOT NULL, memory_cached DOUBLE NOT NULL, disk_used DOUBLE NOT
    NULL, net_in DOUBLE NOT NULL, net_out DOUBLE NOT NULL,
    PRIMARY KEY (host, ts)
);

COPY series_wide FROM 'data/series_wide.parquet' (FORMAT parquet);
