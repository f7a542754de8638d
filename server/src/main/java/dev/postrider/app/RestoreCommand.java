package dev.postrider.app;

import dev.postrider.cli.option.FileOptions;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.Config;
import dev.postrider.config.Settings;
import dev.postrider.engine.services.OfflineMasterKey;
import dev.postrider.engine.services.SqliteBackup;
import dev.postrider.options.MasterKeySource;
import dev.postrider.storage.BackupContents;
import dev.postrider.storage.StorageException;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code postrider restore FILE}: replaces the SQLite database with a backup. */
public final class RestoreCommand implements Command {
  private static final String FORCE = "--force";
  private static final String WITHOUT_KEY = "--without-master-key";

  @Override
  public CommandSpec spec() {
    CommandSpec spec = FileOptions.addTo(CommandSpec.create().name("restore"));
    spec.addPositional(BackupCommand.file("A file written by postrider backup."))
        .addOption(
            OptionSpec.builder(FORCE)
                .type(boolean.class)
                .description(
                    "Replaces the existing database, which is kept in the same folder with the suffix"
                        + " .replaced.")
                .build())
        .addOption(
            OptionSpec.builder(WITHOUT_KEY)
                .type(boolean.class)
                .description(
                    "Restores even if the master key that encrypts the secrets of the backup is not"
                        + " configured. The server refuses to start until that key is configured.")
                .build());
    spec.usageMessage()
        .description(
            "Replaces the SQLite database with a backup; the server must be stopped. Before that,"
                + " the backup is verified and the configured master key is checked against it. For"
                + " PostgreSQL use pg_restore.")
        .footer(
            "",
            "Exit codes: 0 restored, 1 the restore failed and nothing was changed, 2 wrong usage.",
            "",
            "Examples:",
            "  postrider restore /backup/postrider-2026-11-15.db",
            "  POSTRIDER_DATA_DIR=/var/lib/postrider postrider restore --force /backup/postrider.db");
    return spec;
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    Config config = FileOptions.settings(arguments, terminal);
    Path database = BackupCommand.sqlite(config);
    Path backup = BackupCommand.path(arguments);
    boolean replace = arguments.matchedOptionValue(FORCE, false);
    if (Files.exists(database) && !replace) {
      throw new UserError(
          "A database already exists at %s. Use %s to replace it.".formatted(database, FORCE));
    }
    try {
      BackupContents contents = SqliteBackup.check(backup);
      refuseWithoutKey(config, contents, arguments.matchedOptionValue(WITHOUT_KEY, false));
      new SqliteBackup(database, Settings::nameOf)
          .restore(
              backup,
              () ->
                  terminal
                      .err()
                      .println(
                          "the existing database is damaged; its write-ahead log is kept unchanged next to it"));
      BackupCommand.print(contents, database, terminal);
      return ExitCode.OK;
    } catch (IOException | StorageException e) {
      terminal
          .err()
          .println("postrider: the restore failed, nothing was changed: " + e.getMessage());
      return ExitCode.FAILED;
    }
  }

  /** No key is generated here: a new one would only hide that the old one is missing. */
  private static void refuseWithoutKey(Config config, BackupContents contents, boolean anyway) {
    boolean absent =
        config.security().masterKey() instanceof MasterKeySource.Generated(Path path)
            && Files.notExists(path);
    if (!anyway && absent && !contents.masterKeys().isEmpty()) {
      throw new StorageException(
          "the secrets in the backup are encrypted with master key %s, and no master key is configured: put the key file back into the data folder, or set POSTRIDER_MASTER_KEY (or use %s)"
              .formatted(String.join(", ", contents.masterKeys()), WITHOUT_KEY),
          null);
    }
    if (!anyway && !absent) {
      refuseForeignKey(config, contents);
    }
  }

  private static void refuseForeignKey(Config config, BackupContents contents) {
    String configured =
        new OfflineMasterKey(config.security().engine(), Settings::nameOf, new SystemTime()).id();
    if (!contents.masterKeys().isEmpty() && !contents.masterKeys().contains(configured)) {
      throw new StorageException(
          "the secrets in the backup are encrypted with master key %s, but the configured master key is %s: configure the master key that was in use when the backup was written (or use %s)"
              .formatted(String.join(", ", contents.masterKeys()), configured, WITHOUT_KEY),
          null);
    }
  }
}
