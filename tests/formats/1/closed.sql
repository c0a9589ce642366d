-- What the first process writes before it closes the database in order: every type and every key part.

-- Every type: ascending, descending, and under each marker that a part which can be NULL begins with.
CREATE TABLE booleans (
    a BOOLEAN, b BOOLEAN, c BOOLEAN NULL, d BOOLEAN NULL, e BOOLEAN NULL, f BOOLEAN NULL, v BOOLEAN,
    PRIMARY KEY (a, b DESC, c, d DESC, e NULLS FIRST, f DESC NULLS LAST)
);
INSERT INTO booleans VALUES (false, false, false, false, false, false, false), (true, true, true, true, true, true, true),
    (true, false, NULL, NULL, NULL, NULL, NULL);

CREATE TABLE smallints (
    a SMALLINT, b SMALLINT, c SMALLINT NULL, d SMALLINT NULL, e SMALLINT NULL, f SMALLINT NULL, v SMALLINT,
    PRIMARY KEY (a, b DESC, c, d DESC, e NULLS FIRST, f DESC NULLS LAST)
);
INSERT INTO smallints VALUES
    (-32768, -32768, -32768, -32768, -32768, -32768, -32768),
    (-1, -1, -1, -1, -1, -1, -1),
    (0, 0, 0, 0, 0, 0, 0),
    (258, 258, 258, 258, 258, 258, 258),
    (32767, 32767, 32767, 32767, 32767, 32767, 32767),
    (7, 7, NULL, NULL, NULL, NULL, NULL);

CREATE TABLE ints (
    a INT, b INT, c INT NULL, d INT NULL, e INT NULL, f INT NULL, v INT,
    PRIMARY KEY (a, b DESC, c, d DESC, e NULLS FIRST, f DESC NULLS LAST)
);
INSERT INTO ints VALUES
    (-2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648),
    (-1, -1, -1, -1, -1, -1, -1),
    (0, 0, 0, 0, 0, 0, 0),
    (66051, 66051, 66051, 66051, 66051, 66051, 66051),
    (2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647),
    (7, 7, NULL, NULL, NULL, NULL, NULL);

CREATE TABLE bigints (
    a BIGINT, b BIGINT, c BIGINT NULL, d BIGINT NULL, e BIGINT NULL, f BIGINT NULL, v BIGINT,
    PRIMARY KEY (a, b DESC, c, d DESC, e NULLS FIRST, f DESC NULLS LAST)
);
INSERT INTO bigints VALUES
    (-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808),
    (-1, -1, -1, -1, -1, -1, -1),
    (0, 0, 0, 0, 0, 0, 0),
    (283686952306183, 283686952306183, 283686952306183, 283686952306183, 283686952306183, 283686952306183, 283686952306183),
    (9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807),
    (7, 7, NULL, NULL, NULL, NULL, NULL);

-- REAL stands in values alone.
CREATE TABLE doubles (
    a DOUBLE, b DOUBLE, c DOUBLE NULL, d DOUBLE NULL, v DOUBLE, w REAL,
    PRIMARY KEY (a, b DESC, c NULLS FIRST, d DESC NULLS LAST)
);
INSERT INTO doubles VALUES
    ('-inf', '-inf', '-inf', '-inf', '-inf', '-inf'),
    ('-1.5', '-1.5', '-1.5', '-1.5', '-1.5', '-1.5'),
    ('-0.0', '-0.0', '-0.0', '-0.0', '-0.0', '-0.0'),
    ('5e-324', '5e-324', '5e-324', '5e-324', '5e-324', '1e-45'),
    ('0.1', '0.1', '0.1', '0.1', '0.1', '0.1'),
    ('1e300', '1e300', '1e300', '1e300', '1e300', '3e38'),
    ('inf', 'inf', 'inf', 'inf', 'inf', 'inf'),
    ('NaN', 'NaN', 'NaN', 'NaN', 'NaN', 'NaN'),
    (7, 7, NULL, NULL, NULL, NULL);

-- Up to 18 digits take 8 bytes, more take 16.
CREATE TABLE decimals (
    a DECIMAL(18, 2), b DECIMAL(18, 2), c DECIMAL(38, 10), d DECIMAL(38, 10), e DECIMAL(5, 5) NULL, f DECIMAL(19, 0) NULL,
    v DECIMAL(18, 4), w DECIMAL(38, 0),
    PRIMARY KEY (a, b DESC, c, d DESC, e NULLS FIRST, f DESC NULLS LAST)
);
INSERT INTO decimals VALUES
    (-9999999999999999.99, -9999999999999999.99, -9999999999999999999999999999.9999999999,
        -9999999999999999999999999999.9999999999, -0.99999, -9999999999999999999, -99999999999999.9999,
        -99999999999999999999999999999999999999),
    (-0.01, -0.01, -0.0000000001, -0.0000000001, -0.00001, -1, -0.0001, -1),
    (0, 0, 0, 0, 0, 0, 0, 0),
    (123.45, 123.45, 12345678901234567890.5, 12345678901234567890.5, NULL, NULL, NULL, NULL),
    (9999999999999999.99, 9999999999999999.99, 9999999999999999999999999999.9999999999,
        9999999999999999999999999999.9999999999, 0.99999, 9999999999999999999, 99999999999999.9999,
        99999999999999999999999999999999999999);

CREATE TABLE texts (
    id SMALLINT, a TEXT, b TEXT, c VARCHAR(4), d VARCHAR(4), e TEXT NULL, f TEXT NULL, v TEXT, w VARCHAR(4),
    PRIMARY KEY (a, b DESC, c, d DESC, e NULLS FIRST, f DESC NULLS LAST, id)
);
INSERT INTO texts VALUES
    (1, '', '', '', '', '', '', '', ''),
    (2, 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'),
    (3, 'ab', 'ab', 'ab', 'ab', 'ab', 'ab', 'ab', 'ab'),
    (4, 'größ', 'größ', 'größ', 'größ', 'größ', 'größ', 'größ', 'größ'),
    (5, '''/%_', '''/%_', '''/%_', '''/%_', '''/%_', '''/%_', '''/%_', '''/%_'),
    (6, chr(0), chr(0), chr(0), chr(0), chr(0), chr(0), chr(0), chr(0)),
    (7, chr(0) || chr(0), chr(0) || chr(0), chr(0) || chr(0), chr(0) || chr(0), chr(0) || chr(0), chr(0) || chr(0), chr(0) || chr(0), chr(0) || chr(0)),
    (8, 'a' || chr(0) || 'b', 'a' || chr(0) || 'b', 'a' || chr(0) || 'b', 'a' || chr(0) || 'b', 'a' || chr(0) || 'b', 'a' || chr(0) || 'b', 'a' || chr(0) || 'b', 'a' || chr(0) || 'b'),
    (9, 'a' || chr(0), 'a' || chr(0), 'a' || chr(0), 'a' || chr(0), 'a' || chr(0), 'a' || chr(0), 'a' || chr(0), 'a' || chr(0)),
    (10, chr(1114111), chr(1114111), chr(1114111), chr(1114111), chr(1114111), chr(1114111), chr(1114111), chr(1114111)),
    (11, '🦀', '🦀', '🦀', '🦀', '🦀', '🦀', '🦀', '🦀'),
    (12, 'NULL', 'NULL', 'NULL', 'NULL', 'NULL', 'NULL', 'NULL', 'NULL'),
    (13, 'x', 'x', 'x', 'x', NULL, NULL, NULL, NULL);

CREATE TABLE chars (
    id SMALLINT, a CHAR(4), b CHAR(4), c CHAR(1), d CHAR(4) NULL, e CHAR(4) NULL, v CHAR(4),
    PRIMARY KEY (a, b DESC, c, d NULLS FIRST, e DESC NULLS LAST, id)
);
INSERT INTO chars VALUES (1, '', '', '', '', '', ''), (2, 'a', 'a', 'a', 'a', 'a', 'a'),
    (3, 'abcd', 'abcd', 'b', 'abcd', 'abcd', 'abcd'), (4, 'ö ~', 'ö ~', '~', 'ö ~', 'ö ~', 'ö ~'),
    (5, 'x', 'x', 'x', NULL, NULL, NULL);

CREATE TABLE bytes (
    a BYTEA, b BYTEA, c BYTEA NULL, d BYTEA NULL, v BYTEA,
    PRIMARY KEY (a, b DESC, c NULLS FIRST, d DESC NULLS LAST)
);
INSERT INTO bytes VALUES
    (X'', X'', X'', X'', X''),
    (X'00', X'00', X'00', X'00', X'00'),
    (X'0000', X'0000', X'0000', X'0000', X'0000'),
    (X'0001', X'0001', X'0001', X'0001', X'0001'),
    (X'00ff', X'00ff', X'00ff', X'00ff', X'00ff'),
    (X'61', X'61', X'61', X'61', X'61'),
    (X'fe', X'fe', X'fe', X'fe', X'fe'),
    (X'ff', X'ff', X'ff', X'ff', X'ff'),
    (X'ff00', X'ff00', X'ff00', X'ff00', X'ff00'),
    (X'ffff', X'ffff', X'ffff', X'ffff', X'ffff'),
    (X'07', X'07', NULL, NULL, NULL);

CREATE TABLE dates (
    a DATE, b DATE, c DATE NULL, d DATE NULL, v DATE,
    PRIMARY KEY (a, b DESC, c NULLS FIRST, d DESC NULLS LAST)
);
INSERT INTO dates VALUES
    ('0001-01-01', '0001-01-01', '0001-01-01', '0001-01-01', '0001-01-01'),
    ('1969-12-31', '1969-12-31', '1969-12-31', '1969-12-31', '1969-12-31'),
    ('1970-01-01', '1970-01-01', '1970-01-01', '1970-01-01', '1970-01-01'),
    ('2024-02-29', '2024-02-29', '2024-02-29', '2024-02-29', '2024-02-29'),
    ('9999-12-31', '9999-12-31', '9999-12-31', '9999-12-31', '9999-12-31'),
    ('2000-01-01', '2000-01-01', NULL, NULL, NULL);

CREATE TABLE stamps (
    a TIMESTAMP(0), b TIMESTAMP(3), c TIMESTAMP(6) NULL, d TIMESTAMP(9) NULL,
    s TIMESTAMP(0), m TIMESTAMP(3), u TIMESTAMP(6), n TIMESTAMP,
    PRIMARY KEY (a, b DESC, c NULLS FIRST, d DESC NULLS LAST)
);
INSERT INTO stamps VALUES
    ('1969-12-31 23:59:59', '1969-12-31 23:59:59.999', '1969-12-31 23:59:59.999999', '1969-12-31 23:59:59.999999999',
        '1969-12-31 23:59:59', '1969-12-31 23:59:59.999', '1969-12-31 23:59:59.999999', '1969-12-31 23:59:59.999999999'),
    ('1970-01-01', '1970-01-01', '1970-01-01', '1970-01-01', '1970-01-01', '1970-01-01', '1970-01-01', '1970-01-01'),
    ('2024-02-29 12:34:56', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789012', '2024-02-29 12:34:56.789012345',
        '2024-02-29 12:34:56', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789012', '2024-02-29 12:34:56.789012345'),
    ('3000-01-01', '3000-01-01 00:00:00.001', NULL, NULL, NULL, NULL, NULL, NULL),
    ('1000-01-01', '1000-01-01', '1000-01-01', '1700-01-01', '1000-01-01', '1000-01-01', '1000-01-01', '1700-01-01');

CREATE TABLE instants (
    a TIMESTAMP(0) WITH TIME ZONE, b TIMESTAMP(3) WITH TIME ZONE, c TIMESTAMP(6) WITH TIME ZONE NULL,
    d TIMESTAMP(9) WITH TIME ZONE NULL, s TIMESTAMP(0) WITH TIME ZONE, n TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (a, b DESC, c NULLS FIRST, d DESC NULLS LAST)
);
INSERT INTO instants VALUES
    ('2024-02-29T12:34:56Z', '2024-02-29T12:34:56.789+01:00', '2024-02-29T12:34:56.789012-08:00',
        '2024-02-29T12:34:56.789012345Z', '2024-02-29T12:34:56+05:30', '2024-02-29T12:34:56.789012345Z'),
    ('1969-12-31T23:59:59Z', '1969-12-31T23:59:59.999Z', NULL, NULL, NULL, NULL);

-- Every key part. In one byte up to 256 buckets, in two above.
CREATE TABLE salted (host TEXT, ts TIMESTAMP(3), usage DOUBLE, PRIMARY KEY (salt(16), host, ts DESC));
CREATE TABLE salted_wide (id BIGINT, host TEXT NULL, note TEXT, PRIMARY KEY (id DESC, salt(300), host));
CREATE TABLE bucketed (host TEXT, ts TIMESTAMP(3), usage DOUBLE, PRIMARY KEY (bucket(4, host), date_trunc('hour', ts), host, ts));
CREATE TABLE bucketed_wide (a INT, b TEXT NULL, note TEXT, PRIMARY KEY (bucket(65536, a, b) DESC, a, b));
INSERT INTO salted VALUES
    ('web-1', '2024-01-01 01:00:00', 0.25),
    ('web-2', '2024-01-01 02:00:00', 0.5),
    ('web-3', '2024-01-01 03:00:00', 0.75),
    ('web-4', '2024-01-01 04:00:00', 1.0),
    ('web-5', '2024-01-01 05:00:00', 1.25),
    ('web-6', '2024-01-01 06:00:00', 1.5);
INSERT INTO salted_wide VALUES (-5, 'web-1', 'a'), (0, '', 'b'), (9223372036854775807, NULL, NULL), (77, 'größe', 'c');
INSERT INTO bucketed VALUES
    ('web-1', '2024-01-01 00:25:00', 0.25),
    ('web-2', '2024-01-01 00:50:00', 0.5),
    ('web-0', '2024-01-01 01:15:00', 0.75),
    ('web-1', '2024-01-01 01:40:00', 1.0),
    ('web-2', '2024-01-01 02:05:00', 1.25),
    ('web-0', '2024-01-01 02:30:00', 1.5),
    ('web-1', '2024-01-01 02:55:00', 1.75),
    ('web-2', '2024-01-01 03:20:00', 2.0);
INSERT INTO bucketed_wide VALUES (1, 'x', 'a'), (2, '', 'b'), (3, NULL, NULL), (-2147483648, 'größe', 'c');

-- What is hashed: one column bare, several with tag and length, each type.
CREATE TABLE hashes (
    id INT, t TEXT NULL, x BYTEA NULL,
    PRIMARY KEY (hash(t), hash(t, x, id) DESC, md5(t), md5(x) DESC, id)
);
INSERT INTO hashes VALUES (1, '', X''), (2, 'a', X'61'), (3, 'größe', X'00ff'), (4, NULL, NULL), (5, 'web-1', X'7765622d31');
CREATE TABLE hashed_types (
    id INT, b BOOLEAN NULL, s SMALLINT NULL, l BIGINT NULL, r REAL NULL, f DOUBLE NULL, m DECIMAL(18, 4) NULL,
    n DECIMAL(38, 10) NULL, v VARCHAR(8) NULL, c CHAR(8) NULL, d DATE NULL, s0 TIMESTAMP(0) NULL, s9 TIMESTAMP NULL,
    z3 TIMESTAMP(3) WITH TIME ZONE NULL,
    PRIMARY KEY (id, hash(b), hash(s), hash(l), hash(r), hash(f), hash(m), hash(n), hash(v), hash(c), hash(d), hash(s0),
        hash(s9), hash(z3), hash(b, s, l, r, f, m, n, v, c, d, s0, s9, z3))
);
INSERT INTO hashed_types VALUES
    (1, true, 7, 7, 0.5, 0.5, 7.5, 7.5, 'seven', 'seven', '2024-02-29', '2024-02-29 12:34:56',
        '2024-02-29 12:34:56.789012345', '2024-02-29T12:34:56.789Z'),
    (2, false, -1, -1, 'NaN', 'NaN', 0, 0, '', '', '1970-01-01', '1970-01-01', '1969-12-31 23:59:59.999999999',
        '1969-12-31T23:59:59.999Z'),
    (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

CREATE TABLE reversed (
    id SMALLINT, t TEXT NULL, v VARCHAR(8), c CHAR(8), s SMALLINT, i INT, l BIGINT NULL,
    PRIMARY KEY (reverse(t), reverse(v) DESC, reverse(c), reverse_digits(s), reverse_digits(i) DESC, reverse_digits(l), id)
);
INSERT INTO reversed VALUES (1, '', '', '', 0, 0, 0), (2, 'abc', 'abc', 'abc', 123, 1234567890, 1234567890123456789),
    (3, 'größe', 'größe', 'größe', 32767, 2147483647, 9223372036854775807), (4, NULL, 'x', 'x', 10, 1200, NULL);

CREATE TABLE coarse (
    id SMALLINT, t TEXT NULL, v VARCHAR(8), c CHAR(8), s SMALLINT, i INT NULL, l BIGINT,
    PRIMARY KEY (left(t, 2), left(v, 1) DESC, left(c, 3), s / 10, i / 1000, l / 3 DESC, s % 4, i % 10 DESC, l % 65536, id)
);
INSERT INTO coarse VALUES (1, '', '', '', 0, 0, 0), (2, 'a', 'abc', 'abcd', 99, 12345, 123456789012),
    (3, 'größe', 'größe', 'größe', -99, -12345, -123456789012), (4, NULL, 'x', 'x', 32767, NULL, 9223372036854775807);

CREATE TABLE truncated (
    id SMALLINT, ts TIMESTAMP(3), u TIMESTAMP(9) NULL, z TIMESTAMP(6) WITH TIME ZONE,
    PRIMARY KEY (date_trunc('year', ts), date_trunc('quarter', ts), date_trunc('month', ts), date_trunc('week', ts),
        date_trunc('day', ts) DESC, date_trunc('hour', ts), date_trunc('minute', z), date_trunc('second', z),
        date_trunc('millisecond', u), date_trunc('microsecond', u) DESC, id)
);
INSERT INTO truncated VALUES (1, '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789012345', '2024-02-29T12:34:56.789012Z'),
    (2, '1969-11-30 23:59:59.999', '1969-12-31 23:59:59.999999999', '1969-12-31T23:59:59.999999Z'),
    (3, '3000-12-31', NULL, '3000-12-31T00:00:00Z');

CREATE TABLE binned (
    id SMALLINT, ts TIMESTAMP(0), m TIMESTAMP(3) NULL, z TIMESTAMP(6) WITH TIME ZONE,
    PRIMARY KEY (date_bin(INTERVAL '15 minutes', ts), date_bin(INTERVAL '36 hours', m) DESC, date_bin(INTERVAL '1 week', z),
        CAST(ts AS DATE), CAST(m AS DATE) DESC, CAST(z AS DATE), id)
);
INSERT INTO binned VALUES (1, '2024-02-29 12:34:56', '2024-02-29 12:34:56.789', '2024-02-29T12:34:56.789012Z'),
    (2, '1969-12-31 23:59:59', '1969-12-31 23:59:59.999', '1969-12-31T23:59:59.999999Z'),
    (3, '1700-01-01', NULL, '2200-01-01T00:00:00Z');

-- A single-table design: the record's type is a constant.
CREATE TABLE orders (customer TEXT, id BIGINT, state TEXT, PRIMARY KEY (customer, 'order', 7, -1, '' DESC, id DESC));
INSERT INTO orders VALUES ('ann', 1, 'sent'), ('ann', 2, 'paid'), ('bob', 3, NULL);

-- The ends of the fields of a value take one byte each, or two, or four.
CREATE TABLE long (id INT, a TEXT, v TEXT, w BYTEA, PRIMARY KEY (id, left(a, 100)));
INSERT INTO long VALUES
    (1, 'short', 'v', X'00'),
    (2, repeat('a', 200), repeat('v', 200), X'00'),
    (3, '', repeat('long ', 14000), X'ff');

-- Names that SQL quotes; a table without rows; a gap among the numbers of tables.
CREATE TABLE "Größe ""S""" ("Spalte 1" INT, "select" TEXT, PRIMARY KEY ("Spalte 1" DESC));
INSERT INTO "Größe ""S""" VALUES (1, 'eins');
CREATE TABLE empty (a INT, b TEXT, PRIMARY KEY (a));
CREATE TABLE dropped (a INT, PRIMARY KEY (a));
INSERT INTO dropped VALUES (1);
DROP TABLE dropped;

-- Rows that the second process changes.
CREATE TABLE changed (id INT, v TEXT, PRIMARY KEY (salt(2), id));
INSERT INTO changed SELECT n, 'first ' || n FROM generate_series(1, 8) AS s (n);
