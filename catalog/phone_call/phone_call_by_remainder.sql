-- Calls by phone, the newest first, dealt out by the remainder of the number: numbers are given out in blocks that
-- begin alike, and would all stand at one place. Within a remainder they keep their order.
CREATE TABLE phone_call_by_remainder (
    phone BIGINT, ts TIMESTAMP(3), other BIGINT NOT NULL, seconds INTEGER NOT NULL, incoming BOOLEAN NOT NULL,
    cell TEXT NOT NULL,
    PRIMARY KEY (phone % 16, phone, ts DESC)
);

COPY phone_call_by_remainder FROM 'data/phone_call.parquet' (FORMAT parquet);
