package dev.postrider.app;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The receiver of a training run, on the loopback interface: {@code /ok} accepts every delivery,
 * {@code /retry} only from its second attempt on, {@code /fail} none. Keeps connections open, as
 * most receivers do.
 */
final class TrainingReceiver implements AutoCloseable {
  private static final int BACKLOG = 64;
  private static final int MAX_LINE_BYTES = 16 * 1024;
  private static final byte[] OK = response("200 OK");
  private static final byte[] FAILED = response("500 Internal Server Error");

  private final ServerSocket socket;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private final AtomicLong accepted = new AtomicLong();

  private TrainingReceiver(ServerSocket socket) {
    this.socket = socket;
  }

  static TrainingReceiver start() throws IOException {
    TrainingReceiver receiver =
        new TrainingReceiver(new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()));
    Thread.ofVirtual().name("training-receiver").start(receiver::acceptConnections);
    return receiver;
  }

  /** The path is {@code ok}, {@code retry} or {@code fail}. */
  String url(String path) {
    return "http://127.0.0.1:" + socket.getLocalPort() + "/" + path;
  }

  /** Deliveries that got a 200. */
  long accepted() {
    return accepted.get();
  }

  private void acceptConnections() {
    try {
      while (true) {
        Socket connection = socket.accept();
        connection.setTcpNoDelay(true);
        open.add(connection);
        Thread.ofVirtual().start(() -> serve(connection));
      }
    } catch (IOException _) {
      // closed: the training is over
    }
  }

  private void serve(Socket connection) {
    try (connection;
        InputStream in = new BufferedInputStream(connection.getInputStream())) {
      OutputStream out = connection.getOutputStream();
      for (String request = line(in); !request.isEmpty(); request = line(in)) {
        String id = "";
        long length = 0;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
          String lower = header.toLowerCase(Locale.ROOT);
          if (lower.startsWith("content-length:")) {
            length = Long.parseLong(lower.substring("content-length:".length()).trim());
          } else if (lower.startsWith("webhook-id:")) {
            id = header;
          }
        }
        in.skipNBytes(length);
        boolean isAccepted = accepts(request, id);
        out.write(isAccepted ? OK : FAILED);
        if (isAccepted) {
          accepted.incrementAndGet();
        }
      }
    } catch (IOException _) {
      // the server closed the connection
    } finally {
      open.remove(connection);
    }
  }

  private boolean accepts(String request, String id) {
    if (request.contains(" /fail ")) {
      return false;
    }
    return !request.contains(" /retry ") || !seen.add(id);
  }

  /** Without its end; empty also at the end of the connection. */
  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
      if (next != '\r') {
        line.append((char) next);
      }
      if (line.length() > MAX_LINE_BYTES) {
        throw new IOException("a line is longer than " + MAX_LINE_BYTES + " bytes");
      }
    }
    return line.toString();
  }

  private static byte[] response(String status) {
    return ("HTTP/1.1 " + status + "\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok")
        .getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void close() throws IOException {
    socket.close();
    for (Socket connection : open) {
      connection.close();
    }
  }
}
