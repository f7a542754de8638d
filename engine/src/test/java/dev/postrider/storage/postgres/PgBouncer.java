package dev.postrider.storage.postgres;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A PgBouncer in transaction mode with few sessions, so that transactions of one client run on
 * several. It is a package of the system; {@code .ci/run} installs it.
 */
final class PgBouncer implements AutoCloseable {
  static final int SESSIONS = 3;

  private static final List<String> FOLDERS =
      List.of("/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin");

  private final Process process;
  private final int port;

  private PgBouncer(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  static Optional<Path> program() {
    return Stream.concat(FOLDERS.stream(), Stream.of(System.getenv("PATH").split(":", -1)))
        .map(folder -> Path.of(folder, "pgbouncer"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * @param ignored startup parameters that it drops; it rejects all others that it does not know
   */
  static PgBouncer start(Path folder, int postgresPort, String ignored) throws Exception {
    int port = freePort();
    Path settings = folder.resolve("pgbouncer.ini");
    Path log = folder.resolve("pgbouncer.log");
    boolean isRoot = "root".equals(System.getProperty("user.name"));
    Files.writeString(
        settings,
        """
        [databases]
        * = host=127.0.0.1 port=%d user=postgres

        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        default_pool_size = %d
        server_round_robin = 1
        ignore_startup_parameters = %s
        %s
        """
            .formatted(postgresPort, port, SESSIONS, ignored, isRoot ? "user = nobody" : ""));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Process process =
        new ProcessBuilder(program().orElseThrow().toString(), settings.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    PgBouncer started = new PgBouncer(process, port);
    if (!started.responds()) {
      started.close();
      throw new IllegalStateException("PgBouncer does not start: " + Files.readString(log));
    }
    return started;
  }

  String jdbcUrl(String database) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
  }

  private boolean responds() throws InterruptedException {
    for (int i = 0; i < 500 && process.isAlive(); i++) {
      try (Socket _ = new Socket("127.0.0.1", port)) {
        return true;
      } catch (IOException _) {
        Thread.sleep(20); // nothing signals that another process listens
      }
    }
    return false;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException _) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
