package dev.postrider.delivery.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A server on a real loopback socket whose every byte is up to the test. */
final class ScriptedServer implements AutoCloseable {

  interface Script {
    void talk(Connection connection) throws Exception;
  }

  private final ServerSocket server;
  private final Script script;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
  private final AtomicInteger connections = new AtomicInteger();

  ScriptedServer(Script script) throws IOException {
    this(new ServerSocket(0, 64, InetAddress.getLoopbackAddress()), script);
  }

  ScriptedServer(ServerSocket server, Script script) {
    this.server = server;
    this.script = script;
    Thread.ofVirtual().start(this::accept);
  }

  /** Answers every request of every connection with the same bytes. */
  static ScriptedServer answering(String answer) throws IOException {
    return new ScriptedServer(
        connection -> {
          while (connection.readRequest()) {
            connection.write(answer);
          }
        });
  }

  int port() {
    return server.getLocalPort();
  }

  String url() {
    return "http://127.0.0.1:" + port() + "/hook";
  }

  int connections() {
    return connections.get();
  }

  /** The next request as it came, head and body; Latin-1. */
  String nextRequest() throws InterruptedException {
    String request = requests.poll(60, TimeUnit.SECONDS);
    if (request == null) {
      throw new AssertionError("no request came");
    }
    return request;
  }

  boolean hasRequest() {
    return !requests.isEmpty();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : open) {
      socket.close();
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        open.add(socket);
        int number = connections.incrementAndGet();
        Thread.ofVirtual().start(() -> talk(new Connection(socket, number)));
      }
    } catch (IOException _) {
      // Closed by the test.
    }
  }

  private void talk(Connection connection) {
    try (Socket _ = connection.socket) {
      script.talk(connection);
    } catch (Exception _) {
      // The other side went away, or refused the handshake; the test looks at its own end.
    } finally {
      open.remove(connection.socket);
    }
  }

  final class Connection {
    final Socket socket;

    /** Counted from 1 over the server's life. */
    final int number;

    private String last = "";

    private Connection(Socket socket, int number) {
      this.socket = socket;
      this.number = number;
    }

    /** Reads one request; false at the end of the connection. */
    boolean readRequest() throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      InputStream in = socket.getInputStream();
      String head = "";
      while (!head.endsWith("\r\n\r\n")) {
        int b = in.read();
        if (b < 0) {
          return false;
        }
        bytes.write(b);
        head = bytes.toString(StandardCharsets.ISO_8859_1);
      }
      bytes.write(in.readNBytes(bodyLength(head)));
      last = bytes.toString(StandardCharsets.ISO_8859_1);
      requests.add(last);
      return true;
    }

    String lastRequest() {
      return last;
    }

    void write(String text) throws IOException {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
    }

    /** Blocks until the other side closes. */
    void hang() throws IOException {
      while (socket.getInputStream().read() >= 0) {
        // Nothing is answered.
      }
    }

    private static int bodyLength(String head) {
      for (String line : head.split("\r\n", -1)) {
        if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
          return Integer.parseInt(line.substring("content-length:".length()).strip());
        }
      }
      return 0;
    }
  }
}
