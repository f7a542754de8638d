package dev.postrider.bench;

import dev.postrider.bench.testbed.BenchFailure;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Parses the arguments and runs the command. The launcher runs this class for {@code bench} and
 * {@code crash-test}.
 */
@Command(
    name = "postrider",
    subcommands = {BenchCommand.class, CrashCommand.class})
public final class BenchMain implements Runnable {
  private static final int FAILED = 1;

  @Spec private CommandSpec spec = CommandSpec.create();

  private BenchMain() {}

  public static void main(String[] args) {
    // PostgreSQL's starter tells each step at INFO, right through the progress line.
    Logger.getLogger("").setLevel(Level.WARNING);
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new BenchMain())
        .setExecutionExceptionHandler(
            (failure, commandLine, _) -> {
              if (failure instanceof BenchFailure) {
                commandLine.getErr().println(failure.getMessage());
                return FAILED;
              }
              throw failure;
            });
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "the first argument must be a command: bench or crash-test");
  }
}
