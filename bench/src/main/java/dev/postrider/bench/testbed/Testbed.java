package dev.postrider.bench.testbed;

import dev.postrider.bench.load.LoaderChild;
import dev.postrider.bench.sink.Sink;
import dev.postrider.bench.sink.SinkChild;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The parts that exist for the whole benchmark: a temporary folder, the receiver, the load
 * generator and, if a scenario needs it, PostgreSQL.
 */
public final class Testbed implements AutoCloseable {
  /** Nobody listens there: connections are refused. The sink's own addresses end well below. */
  public static final String REFUSING_HOST = "127.0.0.250";

  private final BenchOptions options;
  private final TimeSource time;
  private final Pause pause;
  private final Progress progress;
  private final Path folder;
  private final SinkChild sink;
  private final LoaderChild loader;
  private final Training training = new Training(this);
  private @Nullable BenchPostgres postgres;
  private int sessions;
  private boolean keepFolder;

  private Testbed(BenchOptions options, TimeSource time, Progress progress, Path folder) {
    this.options = options;
    this.time = time;
    this.pause = new Pause(time);
    this.progress = progress;
    this.folder = folder;
    this.sink = SinkChild.start(options.hosts(), folder);
    this.loader = LoaderChild.start(folder);
  }

  public static Testbed start(BenchOptions options, TimeSource time, Progress progress) {
    try {
      return new Testbed(options, time, progress, Files.createTempDirectory("postrider-bench-"));
    } catch (IOException e) {
      throw new BenchFailure("cannot create a temporary folder", e);
    }
  }

  public BenchOptions options() {
    return options;
  }

  public TimeSource time() {
    return time;
  }

  public Pause pause() {
    return pause;
  }

  public Progress progress() {
    return progress;
  }

  public Path folder() {
    return folder;
  }

  public SinkChild sink() {
    return sink;
  }

  public LoaderChild loader() {
    return loader;
  }

  /** Leaves the folder with the logs behind and says where it is. */
  public void keepLogs() {
    keepFolder = true;
  }

  /** A number that no other session of this run has. */
  public int nextSession() {
    return ++sessions;
  }

  public BenchPostgres postgres() {
    BenchPostgres running = postgres;
    if (running == null) {
      progress.step("starting PostgreSQL");
      running =
          options
              .databaseUrl()
              .map(BenchPostgres::at)
              .orElseGet(() -> BenchPostgres.embedded(folder));
      postgres = running;
    }
    return running;
  }

  /**
   * The server with an AOT cache that its own training run made on both databases, as in a release
   * archive. Made once for each jar and its flags.
   */
  public ServerSpec trained(ServerSpec spec) {
    return training.trained(spec);
  }

  public @Nullable BenchPostgres startedPostgres() {
    return postgres;
  }

  /** A URL at the sink; {@code answer} is the first segment of its path. */
  public String sinkUrl(String answer, int index) {
    return url(Sink.host(index % options.hosts()), answer, index);
  }

  /** A URL with the sink's port at another host. */
  public String url(String host, String answer, int index) {
    return "http://%s:%d/%s/%d".formatted(host, sink.port(), answer, index);
  }

  public String refusingUrl(int index) {
    return url(REFUSING_HOST, "dead", index);
  }

  /** The raw client's targets: the same as those of as many applications. */
  public List<String> sinkUrls() {
    return Stream.iterate(0, i -> i + 1)
        .limit(options.applications())
        .map(i -> sinkUrl("ok", i))
        .toList();
  }

  @Override
  public void close() {
    loader.close();
    sink.close();
    BenchPostgres running = postgres;
    if (running != null) {
      running.close();
    }
    if (keepFolder) {
      progress.step("the logs of all processes are in " + folder);
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      progress.step("could not remove " + folder + ": " + e.getMessage());
    }
  }
}
