package dev.postrider.bench.testbed;

import dev.postrider.time.SystemTime;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;

/**
 * A silent testbed with the smallest sizes, for tests that only see whether all parts work
 * together.
 */
public final class SmallTestbed {
  private SmallTestbed() {}

  public static Testbed start(ServerSpec server, List<String> kinds) {
    BenchOptions options =
        new BenchOptions(
            server,
            Optional.empty(),
            true,
            1,
            1,
            4,
            3,
            2,
            500,
            new BenchOptions.Volume(100, 100, false),
            1,
            kinds);
    Progress silent = new Progress(new PrintStream(PrintStream.nullOutputStream()), false);
    return Testbed.start(options, new SystemTime(), silent);
  }
}
