"""Cases of the law of files (src/file/law) that pyarrow and DuckDB write.

    generate.py DIRECTORY COUNT SEED

makes COUNT directories in DIRECTORY. Each has rows.arrow, the rows, and Parquet files of them: by pyarrow with random row
groups, pages, encodings and statistics, and by DuckDB. The rows are those that readers of statistics go wrong on: few values
in a column, or sorted ones, NaN, both zeros, NULLs, times at the ends of the calendar, texts that bounds are cut within.
"""

import math
import pathlib
import random
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

FIRST_DAY, LAST_DAY = -719_162, 2_932_896
DAYS = [FIRST_DAY, -106_752, -1, 0, 1, 19_000, 106_750, LAST_DAY]
LONG = "a long beginning that is the same for several texts, longer than bounds are "
TEXTS = sorted(
    ["", "A", "a", "a%b_c", LONG + "x", LONG + "y", LONG * 5 + "x", LONG * 5 + "y", "it's", "z" * 90, "ä"]
    + ["\x7f" * 300, "\U0010ffff" * 90, "\U0010ffff" * 90 + "b"],
    key=lambda text: text.encode(),
)
FLOATS = [-math.inf, -1.5, -0.0, 0.0, 1e-30, 0.1, 3.0, 1e30, math.inf, math.nan, -math.nan]


def stamps(unit, zone):
    """The type, and values of it: in nanoseconds only those that it reaches."""
    scale = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}[unit]
    days = [day for day in DAYS if unit != "ns" or -106_000 < day < 106_751]
    return pa.timestamp(unit, zone), [day * scale + 1 for day in days]


def decimals(precision, scale):
    import decimal

    most = 10**precision - 1
    context = decimal.Context(prec=60)
    values = [-most, -10_001, -1, 0, 1, 9_999, most - 1, most]
    return pa.decimal128(precision, scale), [decimal.Decimal(value).scaleb(-scale, context) for value in values]


def pool(rng):
    """A type, and values of it in its order."""
    return rng.choice(
        [
            lambda: (pa.bool_(), [False, True]),
            lambda: (pa.int8(), [-128, -1, 0, 1, 127]),
            lambda: (pa.int16(), [-(2**15), -7, -1, 0, 1, 2, 300, 2**15 - 1]),
            lambda: (pa.int32(), [-(2**31), -70_000, -1, 0, 1, 2, 70_000, 2**31 - 1]),
            lambda: (pa.int64(), [-(2**63), -1, 0, 1, 2, 2**53, 2**53 + 1, 2**63 - 1]),
            lambda: (pa.uint8(), [0, 1, 127, 128, 255]),
            lambda: (pa.uint32(), [0, 1, 2, 2**31, 2**31 + 1, 2**32 - 1]),
            lambda: (pa.uint64(), [0, 1, 2**53, 2**63, 2**63 + 1, 2**64 - 1]),
            lambda: (pa.float32(), FLOATS),
            lambda: (pa.float64(), FLOATS),
            lambda: (pa.float64(), FLOATS),
            lambda: (pa.string(), TEXTS),
            lambda: (pa.string(), TEXTS),
            lambda: (pa.binary(), [text.encode() for text in TEXTS]),
            lambda: (pa.date32(), DAYS),
            lambda: stamps(rng.choice(["ms", "us", "ns"]), rng.choice([None, None, "UTC"])),
            lambda: decimals(*rng.choice([(5, 2), (15, 4), (38, 10)])),
            lambda: (pa.list_(pa.float64()), [[], [-0.0, None], [1.0, math.nan]]),
        ]
    )()


def column(rng, count):
    """Values of a pool, few or many, sorted or not, some of them NULL."""
    kind, values = pool(rng)
    different = min(rng.choice([1, 2, 99]), len(values))
    first = rng.randint(0, len(values) - different)
    places = [first + rng.randrange(different) for _ in range(count)]
    if rng.random() < 0.5:
        places.sort()
    nulls = rng.choice([0, 0, 0.1, 0.5, 1])
    begin, end = sorted(rng.randint(0, count) for _ in range(2)) if rng.random() < 0.4 else (0, count)
    drawn = [
        None if begin <= row < end and rng.random() < nulls else values[place] for row, place in enumerate(places)
    ]
    return pa.array(drawn, kind)


def rows(rng):
    count = rng.randint(1, 200) if rng.random() < 0.8 else rng.randint(2_000, 7_000)
    columns = [pa.array(range(count), pa.int64())] + [column(rng, count) for _ in range(rng.randint(2, 5))]
    fields = [pa.field("id", pa.int64(), nullable=False)]
    fields += [pa.field(f"c{number}", of.type) for number, of in enumerate(columns[1:], 1)]
    return pa.table(columns, pa.schema(fields))


def by_pyarrow(rng, table, path):
    names = table.column_names
    version = rng.choice(["1.0", "2.4", "2.6"])
    if any(pa.types.is_timestamp(field.type) and field.type.unit == "ns" for field in table.schema):
        version = "2.6"
    if any(pa.types.is_uint32(field.type) for field in table.schema):
        version = "2.6"
    some = [name for name in names if rng.random() < 0.5]
    options = {
        "version": version,
        "compression": rng.choice(["none", "snappy", "zstd", "gzip"]),
        "row_group_size": rng.choice([1, 7, 50, 500, 10_000]) if len(table) < 500 else rng.choice([500, 3_000]),
        "write_statistics": rng.choice([True, True, False, some or False]),
        "write_page_index": rng.random() < 0.5,
        "data_page_size": rng.choice([8, 64, 1_000_000]),
        "write_batch_size": rng.choice([1, 8, 1024]),
        "data_page_version": rng.choice(["1.0", "2.0"]),
        "use_dictionary": rng.choice([True, False, some]),
        "store_schema": True,
    }
    # Others do not look whether rows are in the order that is set down.
    if rng.random() < 0.2:
        options["sorting_columns"] = [pq.SortingColumn(rng.randrange(len(names)), rng.random() < 0.5, rng.random() < 0.5)]
    pq.write_table(table, path, **options)


def by_duckdb(rng, connection, table, path):
    connection.register("drawn", table)
    options = {
        "FORMAT": "parquet",
        "COMPRESSION": rng.choice(["uncompressed", "snappy", "zstd"]),
        "ROW_GROUP_SIZE": rng.choice([2_048, 122_880]),
        "PARQUET_VERSION": rng.choice(["V1", "V2"]),
    }
    # Differences of 32 bits that take more are written out by DuckDB, where the format wraps them: the reader says so, with
    # an error that names the file.
    if any(field.type in (pa.int32(), pa.uint32(), pa.date32()) for field in table.schema):
        options["PARQUET_VERSION"] = "V1"
    said = ", ".join(f"{name} {value}" for name, value in options.items())
    connection.execute(f"COPY (SELECT * FROM drawn) TO '{path}' ({said})")
    connection.unregister("drawn")


def main():
    directory, count, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'; SET preserve_insertion_order = true")
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        table = rows(rng)
        case = directory / f"{number:05}"
        case.mkdir(parents=True)
        with pa.ipc.new_file(case / "rows.arrow", table.schema) as file:
            file.write_table(table)
        for name in ["a", "b"]:
            by_pyarrow(rng, table, case / f"pyarrow-{name}.parquet")
        by_duckdb(rng, connection, table, case / "duckdb.parquet")


main()
