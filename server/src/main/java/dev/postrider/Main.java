package dev.postrider;

import dev.postrider.app.BackupCommand;
import dev.postrider.app.KeysCommand;
import dev.postrider.app.MigrateCommand;
import dev.postrider.app.PurgeCommand;
import dev.postrider.app.RestoreCommand;
import dev.postrider.app.Serve;
import dev.postrider.cli.Cli;
import dev.postrider.cli.option.FileOptions;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.Terminals;
import dev.postrider.config.Config;
import dev.postrider.observe.LogSetup;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** Parses the arguments, reads the config and starts the application. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(
        new Cli(
                actions(),
                System.getenv(),
                utf8(System.out),
                utf8(System.err),
                Terminals.ofProcess())
            .run(args));
  }

  static Cli.Actions actions() {
    return new Cli.Actions(
        Main::serve,
        Main::warmUp,
        List.of(
            new Logged(new MigrateCommand()),
            new BackupCommand(),
            new RestoreCommand(),
            new Logged(new PurgeCommand()),
            new KeysCommand()));
  }

  /**
   * A command that opens the database itself: its libraries log in the format of the server, not in
   * the default format of Java.
   */
  private record Logged(Command command) implements Command {
    @Override
    public CommandSpec spec() {
      return command.spec();
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      LogSetup.apply(FileOptions.settings(arguments, terminal).log(), System.err);
      return command.run(arguments, terminal);
    }
  }

  private static int serve(Config config) {
    LogSetup.apply(config.log(), System.err);
    return Serve.run(config, System.out);
  }

  private static int warmUp(Config config) {
    LogSetup.apply(config.log(), System.err);
    return Serve.warmUp(config);
  }

  private static PrintWriter utf8(PrintStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
  }
}
