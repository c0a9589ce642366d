-- Comments, the newest first: what flies over all films now is the beginning of the table. All is written there, too,
-- which one machine bears and many do not share.
CREATE TABLE barrage_by_time (
    film_id INTEGER, ts TIMESTAMP(3), user_id TEXT, at_second INTEGER NOT NULL, words TEXT NOT NULL,
    PRIMARY KEY (ts DESC, film_id, user_id)
);

COPY barrage_by_time FROM 'data/barrage.parquet' (FORMAT parquet);
