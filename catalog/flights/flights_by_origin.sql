-- Flights by airport: what leaves one airport in a stretch of time lies together, in the order of departure.
CREATE TABLE flights_by_origin (
    scheduled TIMESTAMP(0), carrier TEXT, flight INTEGER, origin TEXT, dest TEXT NOT NULL, tailnum TEXT,
    dep_delay INTEGER, arr_delay INTEGER, air_time INTEGER, distance INTEGER NOT NULL,
    PRIMARY KEY (origin, scheduled, carrier, flight)
);

COPY flights_by_origin FROM 'data/flights.parquet' (FORMAT parquet);
