package dev.postrider;

import dev.postrider.app.BackupCommand;
import dev.postrider.app.KeysCommand;
import dev.postrider.app.MigrateCommand;
import dev.postrider.app.PurgeCommand;
import dev.postrider.app.RestoreCommand;
import dev.postrider.app.Serve;
import dev.postrider.cli.Cli;
import dev.postrider.cli.Screens;
import dev.postrider.config.Config;
import dev.postrider.observe.LogSetup;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Arguments → config → App; nothing else. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    Cli.Actions actions =
        new Cli.Actions(
            Main::serve,
            Main::warmUp,
            List.of(
                new MigrateCommand(),
                new BackupCommand(),
                new RestoreCommand(),
                new PurgeCommand(),
                new KeysCommand()));
    System.exit(
        new Cli(actions, System.getenv(), utf8(System.out), utf8(System.err), Screens.ofProcess())
            .run(args));
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
