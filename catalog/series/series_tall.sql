-- Measurements, a row for each value: a new metric is a new row and no new column, and a metric's values stand side by
-- side.
CREATE TABLE series_tall (
    host TEXT, metric TEXT, ts TIMESTAMP(3), value DOUBLE NOT NULL,
    PRIMARY KEY (host, metric, ts)
);

COPY series_tall FROM 'data/series_tall.parquet' (FORMAT parquet);
