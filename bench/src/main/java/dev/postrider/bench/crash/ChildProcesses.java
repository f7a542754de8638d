package dev.postrider.bench.crash;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.bench.testbed.BenchFailure;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Starts the child processes of the suite, and kills those that still run when the suite ends. */
final class ChildProcesses implements AutoCloseable {
  private static final long SIGNAL_SECONDS = 10;

  private final Set<ProcessHandle> living = ConcurrentHashMap.newKeySet();
  private final Thread hook = Thread.ofPlatform().name("kill-children").unstarted(this::killAll);

  private ChildProcesses() {}

  static ChildProcesses watch() {
    ChildProcesses children = new ChildProcesses();
    Runtime.getRuntime().addShutdownHook(children.hook);
    return children;
  }

  Process start(ProcessBuilder builder) {
    try {
      Process process = builder.start();
      living.add(process.toHandle());
      living.removeIf(handle -> !handle.isAlive());
      return process;
    } catch (IOException e) {
      throw new BenchFailure("cannot start " + builder.command().getFirst(), e);
    }
  }

  /** {@code kill -NAME pid}; Java itself knows only TERM and KILL. */
  static void signal(String name, long pid) {
    run("kill", "-" + name, Long.toString(pid));
  }

  /** Runs a command and waits for its exit; a failure contains the output. */
  static void run(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String words = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (!process.waitFor(SIGNAL_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new BenchFailure(String.join(" ", command) + " failed: " + words.strip());
      }
    } catch (IOException e) {
      throw new BenchFailure("cannot run " + command[0], e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchFailure("interrupted", e);
    }
  }

  private void killAll() {
    living.forEach(ProcessHandle::destroyForcibly);
  }

  @Override
  public void close() {
    killAll();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The machine is going down already, and the hook is running.
    }
  }
}
