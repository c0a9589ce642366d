import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.VersionInfo;

/** The Java client of HBase on Halite's own tables: the same cells, and nothing of them decoded. */
final class Raw extends Side {
  private static final int SALTS = 16;
  private static final byte[] FAMILY = {'h'};
  /** Rows of an answer of a full scan. */
  private static final int CACHING = 5_000;

  private final Connection connection;
  private final Admin admin;
  private final ExecutorService threads = Executors.newFixedThreadPool(SALTS);

  private Raw() throws Exception {
    connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
    admin = connection.getAdmin();
  }

  public static void main(String[] arguments) throws Exception {
    new Raw().serve();
  }

  @Override
  String command(String name, String[] arguments) throws Exception {
    switch (name) {
      case "version":
        return VersionInfo.getVersion();
      case "tables":
        return tables(arguments[0]);
      case "settle":
        settle(TableName.valueOf(arguments[0]));
        return "";
      default:
        throw new IllegalArgumentException(name);
    }
  }

  /** The tables whose names begin with this. */
  private String tables(String prefix) throws Exception {
    StringBuilder names = new StringBuilder();
    for (TableName table : admin.listTableNames()) {
      String name = table.getNameAsString();
      if (name.startsWith(prefix)) {
        names.append(names.length() == 0 ? "" : "\t").append(name);
      }
    }
    return names.toString();
  }

  /** Makes one file of each region. */
  private void settle(TableName table) throws Exception {
    admin.flush(table);
    admin.majorCompact(table);
    do {
      Thread.sleep(500);
    } while (admin.getCompactionState(table) != CompactionState.NONE);
  }

  @Override
  Work prepare(String kind, String[] arguments) throws Exception {
    Table table = connection.getTable(TableName.valueOf(arguments[0]));
    String[] calls = rest(arguments, 1);
    switch (kind) {
      case "get":
        return get(table, keys(calls));
      case "gets":
        return gets(table, calls);
      case "ranges":
        return ranges(table, calls);
      case "newest":
        return newest(table, keys(calls), 10);
      case "scan":
        return scan(table, Integer.parseInt(calls[0]));
      case "load":
        return new Load(table.getName(), calls[0].equals("sorted"));
      case "put":
        return put(table);
      default:
        throw new IllegalArgumentException(kind);
    }
  }

  private static byte[][] keys(String[] words) {
    return Arrays.stream(words).map(HexFormat.of()::parseHex).toArray(byte[][]::new);
  }

  private Work get(Table table, byte[][] keys) {
    return (call, digest) -> take(table.get(new Get(keys[call % keys.length])), digest);
  }

  private Work gets(Table table, String[] calls) {
    byte[][][] keys = Arrays.stream(calls).map(call -> keys(call.split(","))).toArray(byte[][][]::new);
    return (call, digest) -> {
      List<Get> gets = new ArrayList<>();
      for (byte[] key : keys[call % keys.length]) {
        gets.add(new Get(key));
      }
      for (Result result : table.get(gets)) {
        take(result, digest);
      }
    };
  }

  /** Counts the cells of a row and the bytes of their values. */
  private void take(Result result, Digest digest) {
    if (result.isEmpty()) {
      return;
    }
    long bytes = 0;
    for (Cell cell : result.rawCells()) {
      bytes += cell.getValueLength() + 1;
    }
    sink += bytes;
    if (digest != null) {
      Cell cell = result.rawCells()[0];
      digest.row(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength());
    }
  }

  private interface Part {
    List<Result> read(int salt) throws Exception;
  }

  /** What the parts give, read at the same time. */
  private List<List<Result>> atOnce(Part part) throws Exception {
    List<Callable<List<Result>>> parts = new ArrayList<>();
    for (int salt = 0; salt < SALTS; salt++) {
      int chosen = salt;
      parts.add(() -> part.read(chosen));
    }
    List<List<Result>> results = new ArrayList<>();
    for (Future<List<Result>> done : threads.invokeAll(parts)) {
      results.add(done.get());
    }
    return results;
  }

  private static byte[] salted(int salt, byte[] rest) {
    return Bytes.add(new byte[] {(byte) salt}, rest);
  }

  private static List<Result> read(Table table, Scan scan) throws Exception {
    List<Result> results = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        results.add(result);
      }
    }
    return results;
  }

  /** A call is {@code start:stop}, without the salt. */
  private Work ranges(Table table, String[] calls) {
    byte[][][] borders = Arrays.stream(calls).map(call -> keys(call.split(":"))).toArray(byte[][][]::new);
    return (call, digest) -> {
      byte[][] border = borders[call % borders.length];
      List<List<Result>> parts =
          atOnce(
              salt ->
                  read(
                      table,
                      new Scan()
                          .withStartRow(salted(salt, border[0]))
                          .withStopRow(salted(salt, border[1]))
                          .setCaching(1_000)
                          .setReadType(Scan.ReadType.PREAD)));
      parts.forEach(part -> part.forEach(result -> take(result, digest)));
    };
  }

  /** A call is what keys begin with, without the salt. */
  private Work newest(Table table, byte[][] prefixes, int limit) {
    Comparator<Result> backward =
        (left, right) -> Bytes.compareTo(unsalted(right.getRow()), unsalted(left.getRow()));
    return (call, digest) -> {
      byte[] prefix = prefixes[call % prefixes.length];
      byte[] behind = prefix.clone();
      behind[behind.length - 1]++;
      List<List<Result>> parts =
          atOnce(
              salt ->
                  read(
                      table,
                      new Scan()
                          .withStartRow(salted(salt, behind), false)
                          .withStopRow(salted(salt, prefix), true)
                          .setReversed(true)
                          .setLimit(limit)
                          .setCaching(limit)
                          .setReadType(Scan.ReadType.PREAD)));
      List<Result> all = new ArrayList<>();
      parts.forEach(all::addAll);
      all.sort(backward);
      all.subList(0, Math.min(limit, all.size())).forEach(result -> take(result, digest));
    };
  }

  private static byte[] unsalted(byte[] key) {
    return Arrays.copyOfRange(key, 1, key.length);
  }

  /** All cells, by one scanner or by one for each region. */
  private Work scan(Table table, int scanners) {
    if (scanners == 1) {
      return (call, digest) -> addUp(table, new Scan(), digest);
    }
    return (call, digest) ->
        atOnce(
            salt -> {
              Scan scan = new Scan().withStartRow(salt == 0 ? new byte[0] : new byte[] {(byte) salt});
              scan.withStopRow(salt + 1 == SALTS ? new byte[0] : new byte[] {(byte) (salt + 1)});
              addUp(table, scan, digest);
              return List.of();
            });
  }

  private void addUp(Table table, Scan scan, Digest digest) throws Exception {
    long bytes = 0;
    try (ResultScanner scanner = table.getScanner(scan.setCaching(CACHING))) {
      for (Result result : scanner) {
        for (Cell cell : result.rawCells()) {
          bytes += cell.getValueLength();
        }
        if (digest != null) {
          synchronized (digest) {
            take(result, digest);
          }
        }
      }
    }
    synchronized (this) {
      sink += bytes;
    }
  }

  /** The name of a table of the same shape in the default namespace. */
  private static TableName beside(TableName table, String purpose) {
    return TableName.valueOf(purpose + "_" + table.getQualifierAsString());
  }

  private void makeLike(TableName source, TableName made) throws Exception {
    var descriptor = TableDescriptorBuilder.copy(made, admin.getDescriptor(source));
    try (var locator = connection.getRegionLocator(source)) {
      byte[][] starts = locator.getStartKeys();
      byte[][] borders = Arrays.copyOfRange(starts, 1, starts.length);
      admin.createTable(descriptor, borders.length == 0 ? null : borders);
    }
  }

  private void remove(TableName table) throws Exception {
    admin.disableTable(table);
    admin.deleteTable(table);
  }

  /** The cells of a table into a new one, on disk at the end: as Halite puts them. */
  private final class Load implements Work {
    private final TableName source;
    private final TableName target;
    private final List<Cell> cells = new ArrayList<>();

    Load(TableName source, boolean sorted) throws Exception {
      this.source = source;
      target = beside(source, "raw");
      try (ResultScanner scanner = connection.getTable(source).getScanner(new Scan().setCaching(CACHING))) {
        scanner.forEach(result -> cells.addAll(Arrays.asList(result.rawCells())));
      }
      if (!sorted) {
        Collections.shuffle(cells, new Random(1));
      }
    }

    @Override
    public void before(int call) throws Exception {
      makeLike(source, target);
    }

    @Override
    public void run(int call, Digest digest) throws Exception {
      try (BufferedMutator mutator = connection.getBufferedMutator(target)) {
        for (Cell cell : cells) {
          mutator.mutate(put(cell));
        }
        mutator.flush();
      }
    }

    private Put put(Cell cell) {
      Put put = new Put(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength(), cell.getTimestamp());
      byte[] value = Arrays.copyOfRange(
          cell.getValueArray(), cell.getValueOffset(), cell.getValueOffset() + cell.getValueLength());
      return put.addColumn(FAMILY, null, cell.getTimestamp(), value).setDurability(Durability.FSYNC_WAL);
    }

    @Override
    public void after(int call, Digest digest) throws Exception {
      if (digest != null) {
        addUp(connection.getTable(target), new Scan(), digest);
      }
      remove(target);
    }
  }

  /** A row that is not there yet, into a table like this one. */
  private Work put(Table table) throws Exception {
    TableName beside = beside(table.getName(), "put");
    makeLike(table.getName(), beside);
    Table target = connection.getTable(beside);
    long[] next = {0};
    return (call, digest) -> {
      byte[] row = Bytes.toBytes(next[0]++);
      Put put = new Put(row).addColumn(FAMILY, null, row).setDurability(Durability.FSYNC_WAL);
      var checked = CheckAndMutate.newBuilder(row).ifNotExists(FAMILY, null).build(put);
      if (!target.checkAndMutate(checked).isSuccess()) {
        throw new IllegalStateException("the row was there");
      }
      if (digest != null) {
        digest.rows(1);
      }
    };
  }
}
