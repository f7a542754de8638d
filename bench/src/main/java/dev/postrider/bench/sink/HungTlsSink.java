package dev.postrider.bench.sink;

import dev.postrider.bench.process.Child;
import dev.postrider.bench.process.ControlLoop;
import dev.postrider.bench.process.Jvm;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLServerSocketFactory;

/**
 * A receiver with TLS that reads requests and never responds, in a separate process. Requests are
 * not timed here, so it uses one virtual thread per connection.
 */
public final class HungTlsSink implements AutoCloseable {
  private static final int BACKLOG = 4096;
  private static final String PASSWORD = "changeit";
  private static final String HOST = "127.0.0.1";

  private record State(int port, int held) {}

  private final Child child;
  private final Path keys;
  private final int port;

  private HungTlsSink(Child child, Path keys) {
    this.child = child;
    this.keys = keys;
    this.port = state().port();
  }

  public static HungTlsSink start(Path folder) {
    Path keys = createKeys(folder.resolve("tls.p12"));
    List<String> flags =
        List.of(
            "-XX:+UseSerialGC",
            "-Xmx4g",
            "-Djavax.net.ssl.keyStore=" + keys,
            "-Djavax.net.ssl.keyStorePassword=" + PASSWORD);
    return new HungTlsSink(
        Child.start(
            "tls-sink", Jvm.sameClasses(flags, HungTlsSink.class.getName(), List.of()), folder),
        keys);
  }

  private static Path createKeys(Path file) {
    List<String> command =
        List.of(
            Path.of(Jvm.java()).resolveSibling("keytool").toString(),
            "-genkeypair",
            "-alias",
            "sink",
            "-keyalg",
            "EC",
            "-dname",
            "CN=sink",
            "-ext",
            "san=ip:" + HOST,
            "-keystore",
            file.toString(),
            "-storepass",
            PASSWORD);
    try {
      Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (keytool.waitFor() != 0) {
        throw new IllegalStateException("keytool failed: " + output);
      }
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run keytool; the benchmark needs a JDK", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** The JVM flags of a process that trusts this receiver and nobody else. */
  public List<String> trustFlags() {
    return List.of(
        "-Djavax.net.ssl.trustStore=" + keys, "-Djavax.net.ssl.trustStorePassword=" + PASSWORD);
  }

  public String url(int index) {
    return "https://%s:%d/hang/%d".formatted(HOST, port, index);
  }

  /** Connections whose handshake is done and whose request has begun. */
  public int held() {
    return state().held();
  }

  private State state() {
    return child.ask("state", State.class);
  }

  @Override
  public void close() {
    child.close();
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    AtomicInteger held = new AtomicInteger();
    try (SSLServerSocket server =
        (SSLServerSocket)
            SSLServerSocketFactory.getDefault()
                .createServerSocket(0, BACKLOG, InetAddress.ofLiteral(HOST))) {
      Thread.ofVirtual().start(() -> accept(server, held));
      ControlLoop.run(
          System.in, System.out, (_, _) -> new State(server.getLocalPort(), held.get()));
    }
  }

  private static void accept(SSLServerSocket server, AtomicInteger held) {
    try {
      while (true) {
        Socket socket = server.accept();
        Thread.ofVirtual().start(() -> hold(socket, held));
      }
    } catch (IOException e) {
      // The server socket was closed, or no file is left; the number held then stays below.
    }
  }

  private static void hold(Socket accepted, AtomicInteger held) {
    try (Socket socket = accepted) {
      if (socket.getInputStream().read() < 0) {
        return;
      }
      held.incrementAndGet();
      try {
        socket.getInputStream().transferTo(OutputStream.nullOutputStream());
      } finally {
        held.decrementAndGet();
      }
    } catch (IOException e) {
      // The sender gave up.
    }
  }
}
