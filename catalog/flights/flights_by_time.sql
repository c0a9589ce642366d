-- Flights by time. New rows would all go to the end of the table, so a salt deals them out to four ends; a stretch of
-- time is four ranges, which are read side by side.
CREATE TABLE flights_by_time (
    scheduled TIMESTAMP(0), carrier TEXT, flight INTEGER, origin TEXT, dest TEXT NOT NULL, tailnum TEXT,
    dep_delay INTEGER, arr_delay INTEGER, air_time INTEGER, distance INTEGER NOT NULL,
    PRIMARY KEY (salt(4), scheduled, origin, carrier, flight)
);

COPY flights_by_time FROM 'data/flights.parquet' (FORMAT parquet);
