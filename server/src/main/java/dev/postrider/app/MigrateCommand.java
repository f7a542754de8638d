package dev.postrider.app;

import dev.postrider.cli.option.FileOptions;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.Config;
import dev.postrider.config.Settings;
import dev.postrider.engine.services.OfflineDatabase;
import dev.postrider.storage.StorageException;
import dev.postrider.time.SystemTime;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code postrider migrate}: migrates the schema without starting a server. */
public final class MigrateCommand implements Command {
  @Override
  public CommandSpec spec() {
    CommandSpec spec = FileOptions.addTo(CommandSpec.create().name("migrate"));
    spec.usageMessage()
        .description(
            "Migrates the database schema to the version of this program and exits. A server does"
                + " the same when it starts; use this command to migrate earlier, with a database user"
                + " that may change tables.")
        .footer(
            "",
            "Exit codes: 0 migrated or already current, 2 the database cannot be opened, or its"
                + " schema is newer than this program or was created by another unreleased build.",
            "",
            "Examples:",
            "  postrider migrate",
            "  POSTRIDER_DATABASE_URL=postgres://owner:password@host/db postrider migrate");
    return spec;
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    Config config = FileOptions.settings(arguments, terminal);
    int version = migrate(config);
    terminal
        .out()
        .println(
            terminal.json()
                ? "{\"schemaVersion\":" + version + "}"
                : "the schema version is " + version + ", which is current");
    return ExitCode.OK;
  }

  private static int migrate(Config config) {
    try {
      return new OfflineDatabase(config.storage().engine(), Settings::nameOf, new SystemTime())
          .migrate();
    } catch (StorageException e) {
      throw new UserError(String.valueOf(e.getMessage()));
    }
  }
}
