import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;

/**
 * Moves, splits and merges the regions of a namespace, one after the other, until its input ends. Then it prints how many
 * it has done of each, and how many HBase has refused, as it does for tables that are dropped meanwhile.
 *
 * <p>{@code java … tests/hbase/Restless.java NAMESPACE SEED}
 */
public final class Restless {
  private final Admin admin;
  private final Connection connection;
  private final String namespace;
  private final Random random;
  private int moved;
  private int split;
  private int merged;
  private int refused;

  private Restless(Connection connection, String namespace, long seed) throws Exception {
    this.connection = connection;
    this.admin = connection.getAdmin();
    this.namespace = namespace;
    this.random = new Random(seed);
  }

  public static void main(String[] arguments) throws Exception {
    try (Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create())) {
      Restless restless =
          new Restless(connection, arguments[0], Long.parseLong(arguments[1]));
      System.out.println("begun");
      while (System.in.available() == 0) {
        restless.act();
      }
      System.out.printf(
          "moved %d, split %d, merged %d, refused %d%n",
          restless.moved, restless.split, restless.merged, restless.refused);
    }
  }

  private void act() throws InterruptedException {
    try {
      TableName table = choose(List.of(admin.listTableNamesByNamespace(namespace)));
      List<RegionInfo> regions = admin.getRegions(table);
      switch (random.nextInt(4)) {
        case 0 -> split(table, choose(regions));
        case 1 -> merge(regions);
        default -> move(choose(regions));
      }
    } catch (InterruptedException interrupted) {
      throw interrupted;
    } catch (Exception refusal) {
      refused++;
      Thread.sleep(50);
    }
  }

  private void move(RegionInfo region) throws Exception {
    ServerName to = choose(new ArrayList<>(admin.getRegionServers()));
    admin.move(region.getEncodedNameAsBytes(), to);
    moved++;
  }

  /** At one of the first rows, so that both sides have some. */
  private void split(TableName table, RegionInfo region) throws Exception {
    List<byte[]> rows = new ArrayList<>();
    Scan scan =
        new Scan()
            .withStartRow(region.getStartKey())
            .withStopRow(region.getEndKey())
            .setFilter(new FirstKeyOnlyFilter())
            .setLimit(300);
    try (ResultScanner scanner = connection.getTable(table).getScanner(scan)) {
      for (Result row : scanner) {
        rows.add(row.getRow());
      }
    }
    admin.splitRegionAsync(region.getRegionName(), choose(rows)).get();
    split++;
  }

  private void merge(List<RegionInfo> regions) throws Exception {
    int first = random.nextInt(regions.size() - 1);
    byte[][] two = {
      regions.get(first).getEncodedNameAsBytes(), regions.get(first + 1).getEncodedNameAsBytes()
    };
    admin.mergeRegionsAsync(two, false).get();
    merged++;
  }

  /** Throws, as HBase's refusals do, where there is nothing to choose from. */
  private <T> T choose(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
