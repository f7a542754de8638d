package dev.postrider.app;

import static java.util.Objects.requireNonNull;

import dev.postrider.cli.Cli;
import dev.postrider.cli.Command;
import dev.postrider.cli.Terminal;
import dev.postrider.cli.UserError;
import dev.postrider.config.Config;
import dev.postrider.config.MasterKeySource;
import dev.postrider.storage.SqliteCopy;
import dev.postrider.storage.SqliteDatabase;
import dev.postrider.storage.StorageException;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code postrider restore FILE}: puts a backup in the place of the SQLite database. */
public final class RestoreCommand implements Command {
  private static final String FORCE = "--force";
  private static final String WITHOUT_KEY = "--without-master-key";

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("restore");
    spec.addPositional(BackupCommand.file("A file that postrider backup made."))
        .addOption(
            OptionSpec.builder(FORCE)
                .type(boolean.class)
                .description(
                    "Replaces the database that is there; it is kept beside, with .replaced at the end of its name.")
                .build())
        .addOption(
            OptionSpec.builder(WITHOUT_KEY)
                .type(boolean.class)
                .description(
                    "Restores although the master key of the backup's secrets is not configured: the server will refuse to start until it is.")
                .build());
    spec.usageMessage()
        .description(
            "Puts a backup in place of the SQLite database; the server must be stopped. The backup is read through first, and the configured master key is tried on it. For PostgreSQL use pg_restore.")
        .footer(
            "",
            "Exit codes: 0 restored, 1 it could not be done and nothing was changed, 2 wrong use.",
            "",
            "Examples:",
            "  postrider restore /backup/postrider-2026-11-15.db",
            "  POSTRIDER_DATA_DIR=/var/lib/postrider postrider restore --force /backup/postrider.db");
    return spec;
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    Config config = Config.of(terminal.environment(), Map.of());
    Path database = BackupCommand.sqlite(config);
    Path backup = BackupCommand.path(arguments);
    boolean replace = arguments.matchedOptionValue(FORCE, false);
    if (Files.exists(database) && !replace) {
      throw new UserError(
          "There is a database at %s already. Use %s to replace it.".formatted(database, FORCE));
    }
    try {
      SqliteCopy.Contents contents = SqliteCopy.check(backup);
      refuseWithoutKey(config, contents, arguments.matchedOptionValue(WITHOUT_KEY, false));
      put(backup, database);
      BackupCommand.tell(contents, database, terminal);
      return Cli.OK;
    } catch (IOException | StorageException e) {
      terminal.err().println("postrider: nothing was restored: " + e.getMessage());
      return Cli.FAILED;
    }
  }

  /** No key is made here: a new one would only hide that the old one is missing. */
  private static void refuseWithoutKey(
      Config config, SqliteCopy.Contents contents, boolean anyway) {
    boolean absent =
        config.security().masterKey() instanceof MasterKeySource.Generated(Path path)
            && Files.notExists(path);
    if (!anyway && absent && !contents.masterKeys().isEmpty()) {
      throw new StorageException(
          "the backup's secrets need the master key %s, and none is configured: put the key's file back into the data folder, or set POSTRIDER_MASTER_KEY (or use %s)"
              .formatted(String.join(", ", contents.masterKeys()), WITHOUT_KEY),
          null);
    }
    if (!anyway && !absent) {
      refuseForeignKey(config, contents);
    }
  }

  private static void refuseForeignKey(Config config, SqliteCopy.Contents contents) {
    String configured = Keys.master(config.security(), new SystemTime(), new SecureRandom()).id();
    if (!contents.masterKeys().isEmpty() && !contents.masterKeys().contains(configured)) {
      throw new StorageException(
          "the backup's secrets need the master key %s, and the configured one is %s: configure the key of the backup's time (or use %s)"
              .formatted(String.join(", ", contents.masterKeys()), configured, WITHOUT_KEY),
          null);
    }
  }

  private static void put(Path backup, Path database) throws IOException {
    Path folder = requireNonNull(database.toAbsolutePath().getParent());
    Files.createDirectories(folder);
    Path unfinished = database.resolveSibling(database.getFileName() + ".restoring");
    Files.copy(backup, unfinished, StandardCopyOption.REPLACE_EXISTING);
    SqliteCopy.sync(unfinished);
    // Opening what is there locks the folder and empties its log into the file, so that the file
    // alone is all of it.
    if (Files.exists(database)) {
      SqliteDatabase replaced = new SqliteDatabase(database, true, new SystemTime()::machineMs);
      try {
        replaced.start();
        replaced.checkpoint(SqliteDatabase.Checkpoint.TRUNCATE);
      } catch (StorageException e) {
        Files.deleteIfExists(unfinished);
        throw e;
      } finally {
        replaced.close();
      }
      Files.move(
          database,
          database.resolveSibling(database.getFileName() + ".replaced"),
          StandardCopyOption.REPLACE_EXISTING,
          StandardCopyOption.ATOMIC_MOVE);
    }
    for (String beside : new String[] {"-wal", "-shm"}) {
      Files.deleteIfExists(database.resolveSibling(database.getFileName() + beside));
    }
    Files.move(unfinished, database, StandardCopyOption.ATOMIC_MOVE);
    SqliteCopy.sync(folder);
  }
}
