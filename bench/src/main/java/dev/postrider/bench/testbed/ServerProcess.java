package dev.postrider.bench.testbed;

import dev.postrider.bench.process.Jvm;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The tested server (or the simple reference implementation) in a separate process. */
public final class ServerProcess implements AutoCloseable {
  private static final double HEALTHY_SECONDS = 60;

  /** A little more than the 20 s that a drain may take (engine rule 37). */
  private static final long STOP_SECONDS = 30;

  private final Process process;
  private final int port;
  private final TimeSource time;
  private final long startedNanos;
  private final double healthyMs;

  private final Path log;

  private ServerProcess(Process process, Path log, int port, TimeSource time, long startedNanos) {
    this.process = process;
    this.log = log;
    this.port = port;
    this.time = time;
    this.startedNanos = startedNanos;
    this.healthyMs = ageMs();
  }

  /** The packaged server with the given settings in its environment, healthy. */
  public static ServerProcess start(
      Testbed testbed, ServerSpec spec, Map<String, String> settings) {
    if (!Files.exists(spec.jar())) {
      throw new BenchFailure(
          "there is no " + spec.jar() + "; build it with: mvn package -DskipTests");
    }
    int port = freePort();
    ProcessBuilder builder =
        new ProcessBuilder(Jvm.jar(spec.startFlags(), spec.jar(), List.of("serve")));
    builder.environment().keySet().removeIf(name -> name.startsWith("POSTRIDER_"));
    builder.environment().putAll(settings);
    builder.environment().putAll(spec.settings());
    builder.environment().put("POSTRIDER_HOST", "127.0.0.1");
    builder.environment().put("POSTRIDER_PORT", Integer.toString(port));
    return launch(testbed, builder, "server-" + port, port);
  }

  /** Any other server that answers the same calls. */
  public static ServerProcess start(Testbed testbed, String name, List<String> command, int port) {
    return launch(testbed, new ProcessBuilder(command), name, port);
  }

  private static ServerProcess launch(
      Testbed testbed, ProcessBuilder builder, String name, int port) {
    Path log = testbed.folder().resolve(name + ".log");
    long started = testbed.time().nanos();
    Process process;
    try {
      process =
          builder.redirectErrorStream(true).redirectOutput(Redirect.appendTo(log.toFile())).start();
    } catch (IOException e) {
      throw new BenchFailure("cannot start the server", e);
    }
    boolean healthy =
        testbed.pause().await(HEALTHY_SECONDS, () -> !process.isAlive() || ApiClient.healthy(port));
    if (!healthy || !process.isAlive()) {
      process.destroyForcibly();
      throw new BenchFailure(
          "the server did not become healthy; the last lines of its log:\n" + tail(log));
    }
    return new ServerProcess(process, log, port, testbed.time(), started);
  }

  private static String tail(Path log) {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 12), lines.size()));
    } catch (IOException e) {
      return "(no log: " + e.getMessage() + ")";
    }
  }

  public static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new BenchFailure("no port is free", e);
    }
  }

  /** What it has written so far. */
  public List<String> log() {
    try {
      return Files.readAllLines(log);
    } catch (IOException e) {
      throw new BenchFailure("cannot read " + log, e);
    }
  }

  public long pid() {
    return process.pid();
  }

  public String address() {
    return "127.0.0.1:" + port;
  }

  /** From the start of the process to its first healthy answer, seen in steps of 20 ms. */
  public double healthyMs() {
    return healthyMs;
  }

  /** Since the start of the process. */
  public double ageMs() {
    return (time.nanos() - startedNanos) / 1e6;
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      process.destroy();
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
