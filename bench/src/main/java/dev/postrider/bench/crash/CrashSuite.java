package dev.postrider.bench.crash;

import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.Progress;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs trials one after the other. Keeps the folder of a trial that found a violation. */
public final class CrashSuite implements AutoCloseable {
  private final ServerSpec server;
  private final int kills;
  private final TimeSource time;
  private final Progress progress;
  private final Path folder;
  private final ChildProcesses children = ChildProcesses.watch();
  private @Nullable CrashPostgres postgres;
  private int trials;
  private boolean keepFolder;

  private CrashSuite(
      ServerSpec server, int kills, TimeSource time, Progress progress, Path folder) {
    this.server = server;
    this.kills = kills;
    this.time = time;
    this.progress = progress;
    this.folder = folder;
  }

  /**
   * @param kills of each trial that kills
   */
  public static CrashSuite open(ServerSpec server, int kills, TimeSource time, Progress progress) {
    if (!Files.exists(server.jar())) {
      throw new BenchFailure(
          "there is no " + server.jar() + "; build it with mvn package -DskipTests");
    }
    try {
      return new CrashSuite(
          server, kills, time, progress, Files.createTempDirectory("postrider-crash-"));
    } catch (IOException e) {
      throw new BenchFailure("cannot create a temporary folder", e);
    }
  }

  /** One trial; what it finds is in the result, what keeps it from running is thrown. */
  public TrialResult run(Trial trial, long seed) {
    Path own = folder.resolve(trial.text() + "-" + ++trials);
    try {
      Files.createDirectories(own);
    } catch (IOException e) {
      throw new BenchFailure("cannot make " + own, e);
    }
    progress.step(trial.text() + ": " + trial.title() + " (seed " + seed + ")");
    TrialRun run = new TrialRun(this, trial, own, new SplittableRandom(seed), seed);
    TrialResult result = run.run();
    if (result.violations().isEmpty()) {
      remove(own);
    } else {
      keepFolder = true;
      progress.step("the logs of that trial are in " + own);
    }
    return result;
  }

  ServerSpec server() {
    return server;
  }

  int kills() {
    return kills;
  }

  TimeSource time() {
    return time;
  }

  Progress progress() {
    return progress;
  }

  ChildProcesses children() {
    return children;
  }

  CrashPostgres postgres() {
    CrashPostgres running = postgres;
    if (running == null) {
      running = CrashPostgres.start(folder, children, time);
      postgres = running;
    }
    return running;
  }

  private void remove(Path path) {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      progress.step("could not remove " + path + ": " + e.getMessage());
    }
  }

  @Override
  public void close() {
    CrashPostgres running = postgres;
    if (running != null) {
      running.close();
    }
    children.close();
    if (!keepFolder) {
      remove(folder);
    }
  }
}
