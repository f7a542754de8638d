package dev.postrider.bench.crash;

import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.Pause;
import dev.postrider.time.TimeSource;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Receives deliveries and records each with its response. It runs for the whole trial, so a
 * delivery that is missing here at the end was lost by the server.
 */
final class RecordingReceiver implements AutoCloseable {
  private static final int MAX_HEAD = 64 * 1024;

  private final Ledger ledger;
  private final ReceiverPlan plan;
  private final TimeSource time;
  private final Pause pause;
  private final ServerSocket listener;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Map<String, Integer> underWay = new ConcurrentHashMap<>();
  private volatile boolean closed;

  private RecordingReceiver(
      Ledger ledger, ReceiverPlan plan, TimeSource time, ServerSocket listener) {
    this.ledger = ledger;
    this.plan = plan;
    this.time = time;
    this.pause = new Pause(time);
    this.listener = listener;
  }

  static RecordingReceiver start(Ledger ledger, ReceiverPlan plan, TimeSource time) {
    try {
      RecordingReceiver receiver =
          new RecordingReceiver(
              ledger, plan, time, new ServerSocket(0, 1024, InetAddress.getLoopbackAddress()));
      Thread.ofVirtual().name("receiver").start(receiver::acceptAll);
      return receiver;
    } catch (IOException e) {
      throw new BenchFailure("the receiver cannot open its port", e);
    }
  }

  /** The last segment comes back as {@link RawRequest#endpoint()}. */
  String url(String endpoint) {
    return "http://127.0.0.1:%d/%s".formatted(listener.getLocalPort(), endpoint);
  }

  /** Requests of a process that have not been answered yet. */
  int underWay(String process) {
    return underWay.getOrDefault(process, 0);
  }

  private void acceptAll() {
    while (!closed) {
      try {
        Socket socket = listener.accept();
        open.add(socket);
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException e) {
        if (!closed) {
          ledger.problem("the receiver failed: " + e);
        }
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      while (one(socket, in)) {
        // the next request of a kept connection
      }
    } catch (IOException e) {
      // A killed server cuts its connections; what it sent until then is written down.
    } finally {
      open.remove(socket);
    }
  }

  private boolean one(Socket socket, InputStream in) throws IOException {
    String head = head(in);
    if (head.isEmpty()) {
      return false;
    }
    long arrived = time.nanos();
    Map<String, String> headers = headers(head);
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      return false;
    }
    String delivery = headers.getOrDefault("postrider-delivery-id", "");
    int attempt = Integer.parseInt(headers.getOrDefault("postrider-attempt", "0"));
    ReceiverPlan.Answer answer = plan.answer(delivery, attempt);
    String process = headers.getOrDefault("user-agent", "");
    underWay.merge(process, 1, Integer::sum);
    if (answer.delayMs() > 0) {
      pause.seconds(answer.delayMs() / 1e3);
    }
    String path = head.split(" ", 3)[1];
    // Written down before it is answered: an answer that nobody wrote down must not exist.
    ledger.received(
        new ReceivedRequest(
            headers.getOrDefault("webhook-id", ""),
            delivery,
            attempt,
            process,
            path.substring(path.lastIndexOf('/') + 1),
            Payload.number(new String(body, StandardCharsets.UTF_8), ledger),
            answer.status(),
            arrived,
            time.nanos()));
    underWay.merge(process, -1, Integer::sum);
    if (answer.status() == 0) {
      return false;
    }
    String line = "HTTP/1.1 " + answer.status() + " Planned\r\nContent-Length: 2\r\n\r\nok";
    socket.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
    return true;
  }

  /** Up to the empty line; empty if the peer ended the connection. */
  private static String head(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    int matched = 0;
    while (matched < 4) {
      int next = in.read();
      if (next < 0 || head.size() > MAX_HEAD) {
        return "";
      }
      head.write(next);
      matched = next == (matched % 2 == 0 ? '\r' : '\n') ? matched + 1 : next == '\r' ? 1 : 0;
    }
    return head.toString(StandardCharsets.US_ASCII);
  }

  private static Map<String, String> headers(String head) {
    Map<String, String> headers = new HashMap<>();
    head.lines()
        .skip(1)
        .forEach(
            line -> {
              int colon = line.indexOf(':');
              if (colon > 0) {
                headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).trim());
              }
            });
    return headers;
  }

  @Override
  public void close() {
    closed = true;
    try {
      listener.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException e) {
      throw new BenchFailure("the receiver did not stop", e);
    }
  }
}
