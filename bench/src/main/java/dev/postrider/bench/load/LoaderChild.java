package dev.postrider.bench.load;

import dev.postrider.bench.process.BenchJson;
import dev.postrider.bench.process.Child;
import dev.postrider.bench.process.ControlLoop;
import dev.postrider.bench.process.ControlLoop.Done;
import dev.postrider.bench.process.Jvm;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Runs the load generator in a separate process and sends commands to it. */
public final class LoaderChild implements AutoCloseable {
  private static final List<String> FLAGS = List.of("-XX:+UseSerialGC", "-Xmx256m");

  private final Child child;

  private LoaderChild(Child child) {
    this.child = child;
  }

  public static LoaderChild start(Path folder) {
    return new LoaderChild(
        Child.start(
            "loader", Jvm.sameClasses(FLAGS, LoaderChild.class.getName(), List.of()), folder));
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    try (Loader loader = new Loader(new SystemTime())) {
      loader.start();
      ControlLoop.run(System.in, System.out, (command, text) -> obey(loader, command, text));
    }
  }

  private static Object obey(Loader loader, String command, String text) throws IOException {
    switch (command) {
      case "run" -> loader.run(BenchJson.parse(text, LoadPlan.class));
      case "stop" -> loader.stop();
      case "reset" -> loader.reset();
      case "counts" -> {
        return loader.snapshot(false);
      }
      case "snapshot" -> {
        return loader.snapshot(true);
      }
      default -> throw new IOException("unknown command of the loader: " + command);
    }
    return Done.OK;
  }

  public long pid() {
    return child.pid();
  }

  public void run(LoadPlan plan) {
    child.ask("run", plan, Done.class);
  }

  public void stop() {
    child.send("stop");
  }

  public void reset() {
    child.send("reset");
  }

  public LoadSnapshot counts() {
    return child.ask("counts", LoadSnapshot.class);
  }

  public LoadSnapshot snapshot() {
    return child.ask("snapshot", LoadSnapshot.class);
  }

  @Override
  public void close() {
    child.close();
  }
}
