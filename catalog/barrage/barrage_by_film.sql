-- Comments by film, the newest first: the film is promoted in front of the time, so that each film is written at a
-- place of its own, and its newest comments are the beginning of its range.
CREATE TABLE barrage_by_film (
    film_id INTEGER, ts TIMESTAMP(3), user_id TEXT, at_second INTEGER NOT NULL, words TEXT NOT NULL,
    PRIMARY KEY (film_id, ts DESC, user_id)
);

COPY barrage_by_film FROM 'data/barrage.parquet' (FORMAT parquet);
