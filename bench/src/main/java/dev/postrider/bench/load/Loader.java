package dev.postrider.bench.load;

import dev.postrider.bench.report.Latency;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The load generator: sends messages according to a {@link LoadPlan} and measures the latency of
 * each response.
 */
public final class Loader implements AutoCloseable {
  /**
   * How long a connection rests after a refusal or a failure, so that neither turns into a storm.
   */
  static final long REST_NANOS = 10_000_000;

  /**
   * The selector waits in whole milliseconds; a fixed rate is kept more exactly than that by short
   * naps.
   */
  static final long NAP_NANOS = 100_000;

  private static final long MILLI = 1_000_000;
  private static final long IDLE_TURN_MS = 500;
  private static final int ANSWER_BYTES = 1 << 20;
  private static final byte[] ITEM_STATUS = "\"status\":".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ITEM_ACCEPTED = "202".getBytes(StandardCharsets.US_ASCII);
  private static final int STATUS_AT = "HTTP/1.1 ".length();

  private record Resting(long until, LoadConnection connection) {}

  private final TimeSource time;
  private final SelectorThread thread;
  private final byte[] in = new byte[ANSWER_BYTES];
  private final HttpScan scan = new HttpScan();
  private final ArrayDeque<LoadConnection> idle = new ArrayDeque<>();
  private final ArrayDeque<Resting> resting = new ArrayDeque<>();
  private final Histogram histogram = Latency.newHistogram();
  private List<LoadConnection> connections = List.of();
  private RequestTemplate[][] templates = {};
  private ByteBuffer out = ByteBuffer.allocateDirect(0);
  private @Nullable LoadPlan plan;
  private boolean sending;
  private long startedAt;
  private long number;
  private long totalAccepted;
  private long accepted;
  private long refused;
  private long errors;
  private long late;
  private int inFlight;
  private String lastError = "";
  private String lastRefusal = "";

  public Loader(TimeSource time) throws IOException {
    this.time = time;
    this.thread = new SelectorThread("loader", Selector.open());
  }

  public void start() {
    thread.start(this::turn);
  }

  /** Begins a run; the one before must be done. */
  public void run(LoadPlan next) {
    thread.ask(
        () -> {
          begin(next);
          return true;
        });
  }

  /** Sends nothing new; what is under way is waited for. */
  public void stop() {
    thread.ask(
        () -> {
          sending = false;
          return true;
        });
  }

  public void reset() {
    thread.ask(
        () -> {
          histogram.reset();
          accepted = 0;
          refused = 0;
          errors = 0;
          late = 0;
          return true;
        });
  }

  public LoadSnapshot snapshot(boolean withHistogram) {
    return thread.ask(
        () ->
            new LoadSnapshot(
                totalAccepted,
                accepted,
                refused,
                errors,
                late,
                inFlight,
                !sending && inFlight == 0,
                lastError,
                lastRefusal,
                withHistogram ? Latency.encode(histogram) : ""));
  }

  @Override
  public void close() {
    thread.close();
  }

  private void begin(LoadPlan next) {
    for (LoadConnection old : connections) {
      old.close();
    }
    idle.clear();
    resting.clear();
    inFlight = 0;
    number = 0;
    totalAccepted = 0;
    lastError = "";
    lastRefusal = "";
    plan = next;
    templates = new RequestTemplate[next.servers().size()][next.applications().size()];
    int largest = 0;
    for (int s = 0; s < next.servers().size(); s++) {
      for (int a = 0; a < next.applications().size(); a++) {
        templates[s][a] =
            RequestTemplate.of(next, next.applications().get(a), next.servers().get(s));
        largest = Math.max(largest, templates[s][a].patched(0, 0).length);
      }
    }
    out = ByteBuffer.allocateDirect(largest);
    connections = connections(next);
    idle.addAll(connections);
    startedAt = time.nanos();
    sending = true;
  }

  private static List<LoadConnection> connections(LoadPlan plan) {
    List<InetSocketAddress> addresses = plan.servers().stream().map(Loader::address).toList();
    List<LoadConnection> made = new ArrayList<>();
    for (int i = 0; i < plan.connections(); i++) {
      int server = i % addresses.size();
      made.add(new LoadConnection(server, addresses.get(server)));
    }
    return made;
  }

  private static InetSocketAddress address(String server) {
    int colon = server.lastIndexOf(':');
    return new InetSocketAddress(
        server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
  }

  private void turn(Selector selector) throws IOException {
    long now = time.nanos();
    while (!resting.isEmpty() && resting.peek().until() <= now) {
      idle.add(resting.remove().connection());
    }
    long next = sendDue(now);
    if (next >= MILLI) {
      selector.select(this::serve, Math.min(next / MILLI, IDLE_TURN_MS));
      return;
    }
    if (selector.selectNow(this::serve) == 0) {
      LockSupport.parkNanos(Math.min(next, NAP_NANOS));
    }
  }

  /** Sends what is due and returns the nanoseconds until something else is. */
  private long sendDue(long now) {
    LoadPlan current = plan;
    if (current == null || !sending) {
      return IDLE_TURN_MS * MILLI;
    }
    long rest = resting.isEmpty() ? IDLE_TURN_MS * MILLI : resting.peek().until() - now;
    // A wait for the end of a rest needs no exactness.
    rest = Math.max(rest, MILLI);
    if (current.ratePerSecond() == 0) {
      while (sending && !idle.isEmpty()) {
        send(current, idle.remove(), time.nanos());
      }
      return rest;
    }
    while (sending) {
      long due = startedAt + (long) (number / current.ratePerSecond() * 1e9);
      if (due > now) {
        return Math.min(due - now, rest);
      }
      LoadConnection free = idle.poll();
      if (free == null) {
        return rest;
      }
      if (now - due > MILLI * 10) {
        late++;
      }
      send(current, free, due);
    }
    return rest;
  }

  private void send(LoadPlan current, LoadConnection connection, long stamp) {
    long n = number++;
    if (current.limit() != 0 && number >= current.limit()) {
      sending = false;
    }
    RequestTemplate template =
        templates[connection.server][(int) (n % current.applications().size())];
    inFlight++;
    try {
      connection.send(thread.selector(), template.patched(n, stamp), out, stamp);
    } catch (IOException e) {
      fail(connection, e.toString());
    }
  }

  private void serve(SelectionKey key) {
    LoadConnection connection = (LoadConnection) key.attachment();
    try {
      if (key.isWritable()) {
        connection.writeRest();
      }
      if (key.isValid() && key.isReadable()) {
        read(connection);
      }
    } catch (IOException e) {
      fail(connection, e.toString());
    }
  }

  private void read(LoadConnection connection) throws IOException {
    int filled = connection.read(in);
    if (filled < 0) {
      fail(connection, "the server closed a connection");
      return;
    }
    if (!scan.scan(in, 0, filled)) {
      connection.keep(in, filled);
      return;
    }
    connection.keep(in, 0);
    boolean closes = scan.closes();
    answered(connection);
    if (closes) {
      connection.close();
    }
  }

  private void answered(LoadConnection connection) {
    LoadPlan current = plan;
    if (!connection.busy || current == null) {
      return;
    }
    long now = time.nanos();
    connection.busy = false;
    inFlight--;
    int status =
        (in[STATUS_AT] - '0') * 100 + (in[STATUS_AT + 1] - '0') * 10 + in[STATUS_AT + 2] - '0';
    if (status / 100 == 2) {
      int taken = current.batch() - (current.batch() == 1 ? 0 : refusedItems());
      accepted += taken;
      totalAccepted += taken;
      refused += current.batch() - taken;
      Latency.record(histogram, now - connection.sentAt);
      idle.add(connection);
      return;
    }
    if (status == 429 || status == 503) {
      refused++;
      lastRefusal = new String(in, 0, Math.min(scan.end(), 600), StandardCharsets.UTF_8);
    } else {
      errors++;
      lastError = new String(in, 0, Math.min(scan.end(), 600), StandardCharsets.UTF_8);
    }
    resting.add(new Resting(now + REST_NANOS, connection));
  }

  /** A batch is answered 202 as a whole, with a status for each of its messages. */
  private int refusedItems() {
    int items = 0;
    int last = scan.end() - ITEM_STATUS.length - ITEM_ACCEPTED.length;
    for (int i = scan.bodyStart(); i <= last; i++) {
      if (in[i] == '"'
          && matches(i, ITEM_STATUS)
          && !matches(i + ITEM_STATUS.length, ITEM_ACCEPTED)) {
        items++;
        lastRefusal = new String(in, i, Math.min(scan.end() - i, 300), StandardCharsets.UTF_8);
      }
    }
    return items;
  }

  private boolean matches(int at, byte[] text) {
    return Arrays.equals(in, at, at + text.length, text, 0, text.length);
  }

  private void fail(LoadConnection connection, String why) {
    boolean busy = connection.busy;
    connection.close();
    if (busy) {
      errors++;
      lastError = why;
      inFlight--;
      resting.add(new Resting(time.nanos() + REST_NANOS, connection));
    }
  }
}
