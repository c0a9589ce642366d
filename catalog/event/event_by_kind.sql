-- Events by kind and day. The key begins with what every query knows, the kind, and that is a hot spot twice over: half
-- of what is written is of a few kinds, and all of it is of today. A salt of sixteen buckets deals both out. It is
-- computed from the other parts, so that one event is still one key.
CREATE TABLE event_by_kind (
    event_id SMALLINT, day DATE, kafka_offset BIGINT, user_id TEXT NOT NULL, props TEXT NOT NULL,
    PRIMARY KEY (salt(16), event_id, day, kafka_offset)
);

COPY event_by_kind FROM 'data/event.parquet' (FORMAT parquet);
