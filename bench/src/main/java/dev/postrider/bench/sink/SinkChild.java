package dev.postrider.bench.sink;

import dev.postrider.bench.process.Child;
import dev.postrider.bench.process.ControlLoop;
import dev.postrider.bench.process.ControlLoop.Done;
import dev.postrider.bench.process.Jvm;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Runs the sink in a separate process and sends commands to it. */
public final class SinkChild implements AutoCloseable {
  private static final List<String> FLAGS = List.of("-XX:+UseSerialGC", "-Xmx256m");

  private record Port(int port) {}

  private final Child child;
  private final int port;

  private SinkChild(Child child) {
    this.child = child;
    this.port = child.ask("port", Port.class).port();
  }

  public static SinkChild start(int hosts, Path folder) {
    return new SinkChild(
        Child.start(
            "sink",
            Jvm.sameClasses(FLAGS, SinkChild.class.getName(), List.of(String.valueOf(hosts))),
            folder));
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    try (Sink sink = new Sink(Integer.parseInt(args[0]), new SystemTime())) {
      sink.start();
      ControlLoop.run(
          System.in,
          System.out,
          (command, _) ->
              switch (command) {
                case "port" -> new Port(sink.port());
                case "counts" -> sink.snapshot(false);
                case "snapshot" -> sink.snapshot(true);
                case "reset" -> {
                  sink.reset();
                  yield Done.OK;
                }
                case "release" -> {
                  sink.release();
                  yield Done.OK;
                }
                default -> throw new IOException("unknown command of the sink: " + command);
              });
    }
  }

  public long pid() {
    return child.pid();
  }

  public int port() {
    return port;
  }

  public SinkSnapshot counts() {
    return child.ask("counts", SinkSnapshot.class);
  }

  public SinkSnapshot snapshot() {
    return child.ask("snapshot", SinkSnapshot.class);
  }

  public void reset() {
    child.send("reset");
  }

  /** Closes the connections whose requests wait for an answer. */
  public void release() {
    child.send("release");
  }

  @Override
  public void close() {
    child.close();
  }
}
