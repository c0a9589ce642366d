-- Flights by aircraft, the newest first: the history of one aircraft is one range in one of eight buckets. Flights
-- without a registration are kept too, so the column that leads the key is declared NULL.
CREATE TABLE flights_by_tailnum (
    scheduled TIMESTAMP(0), carrier TEXT, flight INTEGER, origin TEXT, dest TEXT NOT NULL, tailnum TEXT NULL,
    dep_delay INTEGER, arr_delay INTEGER, air_time INTEGER, distance INTEGER NOT NULL,
    PRIMARY KEY (bucket(8, tailnum), tailnum, scheduled DESC, origin, carrier, flight)
);

COPY flights_by_tailnum FROM 'data/flights.parquet' (FORMAT parquet);
