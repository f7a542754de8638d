package dev.postrider.bench.sink;

import dev.postrider.bench.load.HttpScan;
import dev.postrider.bench.load.SelectorThread;
import dev.postrider.bench.load.Stamp;
import dev.postrider.bench.report.Latency;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.HdrHistogram.Histogram;

/**
 * Counts requests, responds as their path selects, and measures the time from sending to arrival.
 */
public final class Sink implements AutoCloseable {
  static final int MAX_REQUEST_BYTES = 2 * 1024 * 1024;
  private static final int BACKLOG = 4096;
  private static final int PORT_TRIES = 20;
  private static final long IDLE_TURN_MS = 500;
  private static final byte[] OK =
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] FAIL =
      "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\n\r\nfail"
          .getBytes(StandardCharsets.US_ASCII);

  private record Later(long due, SinkConnection connection) {}

  private final int hosts;
  private final TimeSource time;
  private final SelectorThread thread;
  private final byte[] in = new byte[MAX_REQUEST_BYTES];
  private final HttpScan scan = new HttpScan();
  private final ByteBuffer ok = direct(OK);
  private final ByteBuffer fail = direct(FAIL);
  private final PriorityQueue<Later> later =
      new PriorityQueue<>(Comparator.comparingLong(Later::due));
  private final Histogram histogram = Latency.newHistogram();
  private final ResponseCounts tally = new ResponseCounts();
  private long total;
  private long malformed;
  private int held;
  private int connections;
  private int port;

  /**
   * @param hosts how many addresses to listen on, 127.0.0.1 and up, all with the same port: as many
   *     targets for the senders
   */
  public Sink(int hosts, TimeSource time) throws IOException {
    this.hosts = hosts;
    this.time = time;
    this.thread = new SelectorThread("sink", Selector.open());
  }

  public void start() throws IOException {
    for (ServerSocketChannel server : bind()) {
      server.configureBlocking(false);
      server.register(thread.selector(), SelectionKey.OP_ACCEPT);
    }
    thread.start(this::turn);
  }

  public int port() {
    return port;
  }

  /** 127.0.0.1 for 0, and so on. */
  public static String host(int index) {
    return "127.0.0." + (index + 1);
  }

  private List<ServerSocketChannel> bind() throws IOException {
    for (int tries = 1; ; tries++) {
      List<ServerSocketChannel> bound = new ArrayList<>();
      try {
        port = 0;
        for (int i = 0; i < hosts; i++) {
          ServerSocketChannel server = ServerSocketChannel.open();
          bound.add(server);
          server.bind(new InetSocketAddress(InetAddress.getByName(host(i)), port), BACKLOG);
          port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        }
        return bound;
      } catch (BindException e) {
        // The port that is free on the first address may be taken on another.
        for (ServerSocketChannel server : bound) {
          server.close();
        }
        if (tries == PORT_TRIES) {
          throw new IOException(
              "no port is free on all of 127.0.0.1 to " + host(hosts - 1) + "; use fewer --hosts",
              e);
        }
      }
    }
  }

  public SinkSnapshot snapshot(boolean withHistogram) {
    return thread.ask(
        () ->
            new SinkSnapshot(
                total,
                tally.ok,
                tally.slow,
                tally.hang,
                tally.fail,
                malformed,
                held,
                connections,
                withHistogram ? Latency.encode(histogram) : ""));
  }

  /** Forgets counts and latencies, but not the total. */
  public void reset() {
    thread.ask(
        () -> {
          histogram.reset();
          tally.reset();
          malformed = 0;
          return true;
        });
  }

  /** Closes the connections whose requests wait for an answer. */
  public void release() {
    thread.ask(
        () -> {
          for (SelectionKey key : thread.selector().keys()) {
            if (key.attachment() instanceof SinkConnection connection && connection.held) {
              drop(connection);
            }
          }
          return true;
        });
  }

  @Override
  public void close() {
    thread.close();
  }

  private void turn(Selector selector) throws IOException {
    long wait = IDLE_TURN_MS;
    Later next = later.peek();
    if (next != null) {
      wait = Math.clamp((next.due() - time.nanos()) / 1_000_000, 1, IDLE_TURN_MS);
    }
    selector.select(this::serve, wait);
    answerLate();
  }

  private void answerLate() {
    long now = time.nanos();
    while (true) {
      Later next = later.peek();
      if (next == null || next.due() > now) {
        return;
      }
      later.remove();
      release(next.connection());
      write(next.connection(), ok);
    }
  }

  private void release(SinkConnection connection) {
    if (connection.held) {
      connection.held = false;
      held--;
    }
  }

  private void serve(SelectionKey key) {
    if (key.isAcceptable()) {
      accept((ServerSocketChannel) key.channel());
      return;
    }
    SinkConnection connection = (SinkConnection) key.attachment();
    try {
      if (key.isWritable()) {
        writeRest(connection);
      }
      if (key.isValid() && key.isReadable()) {
        read(connection);
      }
    } catch (IOException e) {
      drop(connection);
    }
  }

  private void accept(ServerSocketChannel server) {
    try {
      for (SocketChannel channel = server.accept(); channel != null; channel = server.accept()) {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        SelectionKey key = channel.register(thread.selector(), SelectionKey.OP_READ);
        key.attach(new SinkConnection(channel, key));
        connections++;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the sink cannot accept connections; raise the limit of open files (ulimit -n)", e);
    }
  }

  private void read(SinkConnection connection) throws IOException {
    int start = connection.begun.length;
    System.arraycopy(connection.begun, 0, in, 0, start);
    int got = connection.channel.read(ByteBuffer.wrap(in, start, in.length - start));
    if (got < 0) {
      drop(connection);
      return;
    }
    long now = time.nanos();
    int to = start + got;
    int from = 0;
    while (from < to && scan.scan(in, from, to)) {
      answer(connection, from, now);
      from = scan.end();
    }
    if (to - from == in.length) {
      malformed++;
      drop(connection);
      return;
    }
    connection.keep(in, from, to);
  }

  private void answer(SinkConnection connection, int from, long now) {
    Answer answer = Answer.of(in, from);
    tally.add(answer);
    total++;
    switch (answer) {
      case OK -> {
        long stamp = Stamp.read(in, scan.bodyStart(), scan.end());
        if (stamp != 0) {
          Latency.record(histogram, now - stamp);
        }
        write(connection, ok);
      }
      case FAIL -> write(connection, fail);
      case SLOW -> {
        hold(connection);
        later.add(new Later(now + Answer.delayMs(in, from) * 1_000_000, connection));
      }
      case HANG -> hold(connection);
    }
  }

  private void hold(SinkConnection connection) {
    if (!connection.held) {
      connection.held = true;
      held++;
    }
  }

  private void write(SinkConnection connection, ByteBuffer answer) {
    try {
      ByteBuffer bytes = answer.duplicate();
      if (connection.unwritten == null) {
        connection.channel.write(bytes);
      }
      if (bytes.hasRemaining()) {
        queue(connection, bytes);
      }
    } catch (IOException e) {
      drop(connection);
    }
  }

  private static void queue(SinkConnection connection, ByteBuffer bytes) {
    ByteBuffer before = connection.unwritten;
    int length = bytes.remaining() + (before == null ? 0 : before.remaining());
    ByteBuffer all = ByteBuffer.allocate(length);
    if (before != null) {
      all.put(before);
    }
    connection.unwritten = all.put(bytes).flip();
    connection.key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
  }

  private static void writeRest(SinkConnection connection) throws IOException {
    ByteBuffer rest = connection.unwritten;
    if (rest != null) {
      connection.channel.write(rest);
    }
    if (rest == null || !rest.hasRemaining()) {
      connection.unwritten = null;
      connection.key.interestOps(SelectionKey.OP_READ);
    }
  }

  private void drop(SinkConnection connection) {
    if (!connection.key.isValid()) {
      return;
    }
    release(connection);
    connections--;
    connection.key.cancel();
    try {
      connection.channel.close();
    } catch (IOException e) {
      malformed++;
    }
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }
}
