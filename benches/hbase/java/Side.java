import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * One side of the comparison, in a process of its own. It is told by lines on its standard input what to do, and answers
 * each with a line; the words of both are divided by tabs. The clock runs here, around the calls alone.
 *
 * <ul>
 *   <li>{@code prepare NAME KIND ARGUMENT…} makes a work ready
 *   <li>{@code check NAME CALL} does it once: rows and checksum
 *   <li>{@code time NAME FIRST COUNT} does it so many times: nanoseconds
 *   <li>whatever else the side knows
 * </ul>
 */
abstract class Side {
  /** A work; a call has a number, by which its values are chosen. */
  interface Work {
    /** What the clock does not see. */
    default void before(int call) throws Exception {}

    /** Does it. What it finds goes into the digest, if there is one. */
    void run(int call, Digest digest) throws Exception;

    /** What the clock does not see, either. */
    default void after(int call, Digest digest) throws Exception {}
  }

  /** Rows, and the sum of their checksums: the order does not matter. */
  static final class Digest {
    private final CRC32 crc = new CRC32();
    long rows;
    long checksum;

    void row(byte[] bytes, int offset, int length) {
      crc.reset();
      crc.update(bytes, offset, length);
      rows++;
      checksum += crc.getValue();
    }

    void row(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      row(bytes, 0, bytes.length);
    }

    void rows(long count) {
      rows += count;
    }
  }

  /** What was read is added up here, so that no reading is left out. */
  protected long sink;

  private final Map<String, Work> works = new HashMap<>();

  abstract Work prepare(String kind, String[] arguments) throws Exception;

  /** A command that is none of those that all sides know. */
  abstract String command(String name, String[] arguments) throws Exception;

  private String answer(String[] words) throws Exception {
    switch (words[0]) {
      case "prepare":
        works.put(words[1], prepare(words[2], rest(words, 3)));
        return "";
      case "check":
        return check(works.get(words[1]), Integer.parseInt(words[2]));
      case "time":
        return time(works.get(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
      default:
        return command(words[0], rest(words, 1));
    }
  }

  private static String check(Work work, int call) throws Exception {
    Digest digest = new Digest();
    work.before(call);
    work.run(call, digest);
    work.after(call, digest);
    return digest.rows + "\t" + Long.toUnsignedString(digest.checksum);
  }

  private static String time(Work work, int first, int count) throws Exception {
    long took = 0;
    for (int call = first; call < first + count; call++) {
      work.before(call);
      long start = System.nanoTime();
      work.run(call, null);
      took += System.nanoTime() - start;
      work.after(call, null);
    }
    return Long.toString(took);
  }

  static String[] rest(String[] words, int first) {
    return java.util.Arrays.copyOfRange(words, Math.min(first, words.length), words.length);
  }

  /** Answers lines until there are no more. */
  void serve() throws Exception {
    PrintStream out = System.out;
    // Libraries that print must not be taken for answers.
    System.setOut(System.err);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String reply;
      try {
        reply = "ok\t" + answer(line.split("\t", -1));
      } catch (Exception error) {
        error.printStackTrace();
        reply = "error\t" + String.valueOf(error).replace('\n', ' ').replace('\t', ' ');
      }
      out.println(reply);
      out.flush();
    }
    System.err.println("read in all: " + sink);
    System.exit(0);
  }
}
