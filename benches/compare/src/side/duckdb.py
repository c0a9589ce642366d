"""DuckDB, asked by lines of JSON on standard input; each is answered by a line on standard output.

Times are taken here, around executing and fetching, so that the pipe is not measured.
"""

import datetime
import json
import sys
import time
import warnings
import zlib

import duckdb
import pyarrow
import pyarrow.parquet

# That execute() makes one more copy on its way to Arrow is known: it is one of the ways that are tried.
warnings.simplefilter("ignore")

EPOCH = datetime.datetime(1970, 1, 1)


def parameter(value):
    """A parameter; a time comes as {"stamp": milliseconds}."""
    if isinstance(value, dict):
        return EPOCH + datetime.timedelta(milliseconds=value["stamp"])
    return value


def fetch_rows(connection, call):
    return connection.execute(*call).fetchall()


def fetch_arrow(connection, call):
    return connection.execute(*call).to_arrow_table()


def fetch_reader(connection, call):
    return [batch for batch in connection.sql(call[0]).to_arrow_reader()]


FETCHES = {"rows": fetch_rows, "arrow": fetch_arrow, "reader": fetch_reader}


def texts(column):
    """The values of a column as `answer.rs` writes them."""
    kind = column.type
    if pyarrow.types.is_timestamp(kind):
        column = column.cast(pyarrow.timestamp("ms")).cast(pyarrow.int64())
    if pyarrow.types.is_floating(kind):
        return [f"{value:.3f}" for value in column.to_pylist()]
    return [str(value) for value in column.to_pylist()]


def answer(table, ordered):
    """The number of rows and their checksum, as `answer.rs` computes it."""
    checksum = 0
    columns = [texts(column) for column in table.columns]
    for place, row in enumerate(zip(*columns), 1):
        term = zlib.crc32("".join(cell + "|" for cell in row).encode())
        checksum += term * (place if ordered else 1)
    return {"rows": table.num_rows, "checksum": checksum % (1 << 64)}


class Server:
    def __init__(self):
        self.connection = None

    def call(self, request):
        if not request["parameters"]:
            return (request["sql"],)
        return request["sql"], [parameter(value) for value in request["parameters"]]

    def open(self, request):
        self.connection = duckdb.connect(request["path"])
        return duckdb.__version__

    def execute(self, request):
        self.connection.execute(request["sql"])

    def register(self, request):
        """A Parquet file becomes a table in memory."""
        rows = pyarrow.parquet.read_table(request["file"])
        self.connection.register(request["name"], rows)

    def answer(self, request):
        table = self.connection.execute(*self.call(request)).to_arrow_table()
        return answer(table, request["ordered"])

    def time(self, request):
        calls = [self.call(call) for call in request["calls"]]
        fetch, connection = FETCHES[request["fetch"]], self.connection
        start = time.perf_counter_ns()
        for call in calls:
            fetch(connection, call)
        return time.perf_counter_ns() - start


def main():
    server = Server()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = {"done": getattr(server, request["do"])(request)}
        except Exception as error:  # Whatever it is, the other side tells it.
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


main()
