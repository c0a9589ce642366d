-- Calls by phone, the newest first, the number read backwards: its last digits, which differ most, come first.
CREATE TABLE phone_call_by_digits (
    phone BIGINT, ts TIMESTAMP(3), other BIGINT NOT NULL, seconds INTEGER NOT NULL, incoming BOOLEAN NOT NULL,
    cell TEXT NOT NULL,
    PRIMARY KEY (reverse_digits(phone), ts DESC)
);

COPY phone_call_by_digits FROM 'data/phone_call.parquet' (FORMAT parquet);
