package dev.postrider.bench.crash;

import dev.postrider.bench.process.Jvm;
import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.Pause;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server process that trials kill and restart on the same port. Each start has its own name. */
final class Instance {
  private static final double HEALTHY_SECONDS = 60;
  private static final long STOP_SECONDS = 40;
  private static final int PROBE_MS = 1_000;

  /** The packaged server's one test aid: a file whose milliseconds are added to its wall clock. */
  private static final String CLOCK_PROPERTY = "postrider.test.clock-offset-file";

  private final String name;
  private final ServerSpec spec;
  private final Path folder;
  private final ChildProcesses children;
  private final TimeSource time;
  private final Pause pause;
  private final int port = Ports.free();
  private long clockOffsetMs;
  private int lives;
  private @Nullable Process process;

  Instance(String name, ServerSpec spec, Path folder, ChildProcesses children, TimeSource time) {
    this.name = name;
    this.spec = spec;
    this.folder = folder;
    this.children = children;
    this.time = time;
    this.pause = new Pause(time);
  }

  /** Starts the process; it is not healthy yet. */
  void launch() {
    lives++;
    writeClock();
    List<String> flags = new ArrayList<>(spec.startFlags());
    flags.add("-D" + CLOCK_PROPERTY + "=" + clock());
    ProcessBuilder builder = new ProcessBuilder(Jvm.jar(flags, spec.jar(), List.of("serve")));
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(key -> key.startsWith("POSTRIDER_"));
    environment.putAll(spec.settings());
    environment.put("POSTRIDER_HOST", "127.0.0.1");
    environment.put("POSTRIDER_PORT", Integer.toString(port));
    environment.put("POSTRIDER_USER_AGENT", life());
    builder.redirectErrorStream(true).redirectOutput(Redirect.appendTo(log().toFile()));
    process = children.start(builder);
  }

  void start() {
    launch();
    awaitHealthy();
  }

  void awaitHealthy() {
    Process running = process();
    boolean healthy = pause.await(HEALTHY_SECONDS, () -> !running.isAlive() || healthy());
    if (!healthy || !running.isAlive()) {
      throw new BenchFailure(
          life() + " did not become healthy; the last lines of its log:\n" + tail());
    }
  }

  /** The name of this life, as receivers see it. */
  String life() {
    return name + "-" + lives;
  }

  String address() {
    return "127.0.0.1:" + port;
  }

  /** SIGKILL; returns when the process is gone. */
  void kill(Disruptions disruptions) {
    long from = time.nanos();
    try {
      process().destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchFailure("interrupted", e);
    }
    disruptions.add(Disruptions.Kind.KILL, life(), from, time.nanos());
  }

  /** SIGSTOP for that long, then SIGCONT. */
  void freeze(double seconds, Disruptions disruptions) {
    long pid = process().pid();
    long from = time.nanos();
    ChildProcesses.signal("STOP", pid);
    try {
      pause.seconds(seconds);
    } finally {
      ChildProcesses.signal("CONT", pid);
      disruptions.add(Disruptions.Kind.FREEZE, life(), from, time.nanos());
    }
  }

  /** SIGTERM; returns how long it took to end. */
  double stop() {
    Process running = process();
    long from = time.nanos();
    running.destroy();
    try {
      if (!running.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        running.destroyForcibly().waitFor();
        throw new BenchFailure(life() + " did not stop within " + STOP_SECONDS + " s of SIGTERM");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchFailure("interrupted", e);
    }
    return (time.nanos() - from) / 1e9;
  }

  /** Sets the clock of this instance's machine forward, or back. */
  void jump(long ms) {
    clockOffsetMs += ms;
    writeClock();
  }

  /** Whole or not at all: the server reads it at any time. */
  private void writeClock() {
    Path next = folder.resolve(name + ".clock.next");
    try {
      Files.writeString(next, Long.toString(clockOffsetMs));
      Files.move(
          next, clock(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new BenchFailure("cannot write " + clock(), e);
    }
  }

  boolean alive() {
    Process running = process;
    return running != null && running.isAlive();
  }

  private Process process() {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException(name + " was never started");
    }
    return running;
  }

  boolean healthy() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PROBE_MS);
      socket.setSoTimeout(PROBE_MS);
      socket
          .getOutputStream()
          .write(
              "GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      byte[] start = socket.getInputStream().readNBytes("HTTP/1.1 2".length());
      return new String(start, StandardCharsets.US_ASCII).equals("HTTP/1.1 2");
    } catch (IOException e) {
      return false;
    }
  }

  private Path clock() {
    return folder.resolve(name + ".clock");
  }

  private Path log() {
    return folder.resolve(name + ".log");
  }

  private String tail() {
    try {
      List<String> lines = Files.readAllLines(log());
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
    } catch (IOException e) {
      return "(no log: " + e.getMessage() + ")";
    }
  }
}
