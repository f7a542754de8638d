package dev.postrider.bench;

import dev.postrider.bench.rig.BenchFailure;
import picocli.CommandLine;

/** Arguments → command; nothing else. */
public final class BenchMain {
  private static final int FAILED = 1;

  private BenchMain() {}

  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new BenchCommand())
        .setExecutionExceptionHandler(
            (failure, commandLine, _) -> {
              if (failure instanceof BenchFailure) {
                commandLine.getErr().println(failure.getMessage());
                return FAILED;
              }
              throw failure;
            });
  }
}
