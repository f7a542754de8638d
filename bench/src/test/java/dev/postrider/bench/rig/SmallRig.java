package dev.postrider.bench.rig;

import dev.postrider.time.SystemTime;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;

/**
 * A silent rig with the smallest sizes, for tests that only see whether all parts work together.
 */
public final class SmallRig {
  private SmallRig() {}

  public static Rig start(ServerSpec server, List<String> kinds) {
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
    return Rig.start(options, new SystemTime(), silent);
  }
}
