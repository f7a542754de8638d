package dev.postrider.bench.raw;

import dev.postrider.bench.process.BenchJson;
import dev.postrider.bench.process.Child;
import dev.postrider.bench.process.ControlLoop;
import dev.postrider.bench.process.ControlLoop.Done;
import dev.postrider.bench.process.Jvm;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs the raw client in a separate process, with the JVM flags of the server, and sends commands
 * to it.
 */
public final class RawChild implements AutoCloseable {
  private final Child child;

  private RawChild(Child child) {
    this.child = child;
  }

  /** Starts sending at once. */
  public static RawChild start(RawPlan plan, List<String> jvmFlags, Path folder) {
    Child child =
        Child.start(
            "raw-client",
            Jvm.sameClasses(jvmFlags, RawChild.class.getName(), List.of(BenchJson.line(plan))),
            folder);
    return new RawChild(child);
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    try (RawClient client =
        new RawClient(BenchJson.parse(args[0], RawPlan.class), new SystemTime())) {
      client.start();
      ControlLoop.run(
          System.in,
          System.out,
          (command, _) ->
              switch (command) {
                case "counts" -> client.snapshot();
                case "reset" -> {
                  client.reset();
                  yield Done.OK;
                }
                default -> throw new IOException("unknown command of the raw client: " + command);
              });
    }
  }

  public long pid() {
    return child.pid();
  }

  public void reset() {
    child.send("reset");
  }

  public RawSnapshot counts() {
    return child.ask("counts", RawSnapshot.class);
  }

  @Override
  public void close() {
    child.close();
  }
}
