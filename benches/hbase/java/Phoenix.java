import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Phoenix, through its JDBC driver. */
final class Phoenix extends Side {
  /** Rows between two commits of a load. */
  private static final int BATCH = 1_000;

  private final Connection connection;
  /** One whose changes are gathered until they are committed. */
  private final Connection loading;

  private Phoenix(String url) throws Exception {
    Class.forName("org.apache.phoenix.jdbc.PhoenixDriver");
    connection = DriverManager.getConnection(url);
    connection.setAutoCommit(true);
    loading = DriverManager.getConnection(url);
    loading.setAutoCommit(false);
  }

  public static void main(String[] arguments) throws Exception {
    new Phoenix(arguments[0]).serve();
  }

  @Override
  String command(String name, String[] arguments) throws Exception {
    switch (name) {
      case "version":
        var data = connection.getMetaData();
        return data.getDriverVersion();
      case "execute":
        execute(arguments[0]);
        return "";
      case "load":
        load(arguments[0], rows(arguments[1]));
        return "";
      case "explain":
        return explain(arguments[0]);
      default:
        throw new IllegalArgumentException(name);
    }
  }

  private void execute(String sql) throws Exception {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private String explain(String sql) throws Exception {
    StringBuilder plan = new StringBuilder();
    try (Statement statement = connection.createStatement();
        ResultSet lines = statement.executeQuery("EXPLAIN " + sql)) {
      while (lines.next()) {
        plan.append(plan.length() == 0 ? "" : "; ").append(lines.getString(1).trim());
      }
    }
    return plan.toString();
  }

  @Override
  Work prepare(String kind, String[] arguments) throws Exception {
    switch (kind) {
      case "query":
        return new Query(arguments[0], arguments[1], rest(arguments, 2));
      case "load":
        return new Load(arguments[0], arguments[1], rows(arguments[2]));
      case "upsert":
        return upsert(arguments[0]);
      default:
        throw new IllegalArgumentException(kind);
    }
  }

  /** A prepared query; the kinds of its columns are {@code l} for a number and {@code t} for a text. */
  private final class Query implements Work {
    private final String kinds;
    private final PreparedStatement statement;
    private final long[][] calls;

    Query(String kinds, String sql, String[] calls) throws Exception {
      this.kinds = kinds;
      statement = connection.prepareStatement(sql);
      this.calls = new long[Math.max(1, calls.length)][];
      this.calls[0] = new long[0];
      for (int call = 0; call < calls.length; call++) {
        this.calls[call] = numbers(calls[call]);
      }
    }

    @Override
    public void run(int call, Digest digest) throws Exception {
      long[] values = calls[call % calls.length];
      for (int place = 0; place < values.length; place++) {
        statement.setLong(place + 1, values[place]);
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          take(rows, digest);
        }
      }
    }

    private void take(ResultSet rows, Digest digest) throws Exception {
      StringBuilder text = digest == null ? null : new StringBuilder();
      for (int column = 1; column <= kinds.length(); column++) {
        if (kinds.charAt(column - 1) == 't') {
          String value = rows.getString(column);
          sink += value.length();
          if (text != null) {
            text.append(value).append('|');
          }
        } else {
          long value = rows.getLong(column);
          sink += value;
          if (text != null) {
            text.append(value).append('|');
          }
        }
      }
      if (text != null) {
        digest.row(text.toString());
      }
    }
  }

  private static long[] numbers(String list) {
    String[] words = list.isEmpty() ? new String[0] : list.split(",");
    long[] values = new long[words.length];
    for (int place = 0; place < words.length; place++) {
      values[place] = Long.parseLong(words[place]);
    }
    return values;
  }

  /** A row of the file: its numbers, then its text. */
  private record Row(long[] numbers, String text) {}

  private static List<Row> rows(String file) throws Exception {
    List<Row> rows = new ArrayList<>();
    try (var lines = Files.lines(Path.of(file))) {
      lines.forEach(
          line -> {
            int end = line.lastIndexOf(',');
            rows.add(new Row(numbers(line.substring(0, end)), line.substring(end + 1)));
          });
    }
    return rows;
  }

  private void load(String table, List<Row> rows) throws Exception {
    String places = ", ?".repeat(rows.get(0).numbers().length);
    String sql = "UPSERT INTO " + table + " VALUES (" + places.substring(2) + ", ?)";
    try (PreparedStatement statement = loading.prepareStatement(sql)) {
      int waiting = 0;
      for (Row row : rows) {
        int place = 1;
        for (long number : row.numbers()) {
          statement.setLong(place++, number);
        }
        statement.setString(place, row.text());
        statement.executeUpdate();
        if (++waiting == BATCH) {
          loading.commit();
          waiting = 0;
        }
      }
      loading.commit();
    }
  }

  /** Rows into a new table, by commits of a thousand rows. */
  private final class Load implements Work {
    private final String table;
    private final String create;
    private final List<Row> rows;

    Load(String table, String create, List<Row> rows) {
      this.table = table;
      this.create = create;
      this.rows = rows;
    }

    @Override
    public void before(int call) throws Exception {
      execute(create);
    }

    @Override
    public void run(int call, Digest digest) throws Exception {
      load(table, rows);
    }

    @Override
    public void after(int call, Digest digest) throws Exception {
      if (digest != null) {
        new Query("ll", "SELECT count(*), sum(v1) FROM " + table, new String[0]).run(0, digest);
      }
      execute("DROP TABLE " + table);
    }
  }

  /** A row, committed by itself. */
  private Work upsert(String sql) throws Exception {
    PreparedStatement statement = connection.prepareStatement(sql);
    long[] next = {0};
    return (call, digest) -> {
      statement.setLong(1, next[0]++);
      statement.executeUpdate();
      if (digest != null) {
        digest.rows(1);
      }
    };
  }
}
