package dev.postrider.app;

import static java.util.Objects.requireNonNull;

import dev.postrider.cli.Cli;
import dev.postrider.cli.Command;
import dev.postrider.cli.Terminal;
import dev.postrider.cli.UserError;
import dev.postrider.config.Config;
import dev.postrider.disk.PrivateFile;
import dev.postrider.maintenance.MasterKeys;
import dev.postrider.options.MasterKeySource;
import dev.postrider.storage.FolderLock;
import dev.postrider.storage.SqliteCopy;
import dev.postrider.storage.StorageException;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code postrider restore FILE}: puts a backup in the place of the SQLite database. */
public final class RestoreCommand implements Command {
  private static final String FORCE = "--force";
  private static final String WITHOUT_KEY = "--without-master-key";

  private static final String LOG = "-wal";

  /** The file itself, its log, and the log's index. */
  private static final List<String> PARTS = List.of("", LOG, "-shm");

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
      put(backup, database, terminal);
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
    String configured =
        MasterKeys.current(config.security().engine(), new SystemTime(), new SecureRandom()).id();
    if (!contents.masterKeys().isEmpty() && !contents.masterKeys().contains(configured)) {
      throw new StorageException(
          "the backup's secrets need the master key %s, and the configured one is %s: configure the key of the backup's time (or use %s)"
              .formatted(String.join(", ", contents.masterKeys()), configured, WITHOUT_KEY),
          null);
    }
  }

  private static void put(Path backup, Path database, Terminal terminal) throws IOException {
    try (FolderLock _ = FolderLock.take(database)) {
      Path unfinished = beside(database, ".restoring");
      try {
        copy(backup, unfinished);
        SqliteCopy.sync(unfinished);
        moveAside(database, terminal);
        Files.move(unfinished, database, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(unfinished);
      }
      SqliteCopy.sync(requireNonNull(database.toAbsolutePath().getParent()));
    }
  }

  /**
   * What is there is not opened as a server would: that it cannot be may be why a backup is put in
   * its place. Its log is copied first, for SQLite removes one that it cannot use.
   */
  private static void moveAside(Path database, Terminal terminal) throws IOException {
    Path replaced = beside(database, ".replaced");
    for (String part : PARTS) {
      Files.deleteIfExists(beside(replaced, part)); // else taken for this one's
    }
    if (Files.exists(beside(database, LOG))) {
      copy(beside(database, LOG), beside(replaced, LOG));
    }
    if (Files.exists(database)) {
      if (SqliteCopy.foldLog(database)) {
        Files.deleteIfExists(beside(replaced, LOG));
      } else {
        terminal
            .err()
            .println("the database that is there is damaged; its log is kept beside it as it is");
      }
      Files.move(database, replaced, StandardCopyOption.ATOMIC_MOVE);
    }
    for (String part : PARTS) {
      Files.deleteIfExists(beside(database, part));
    }
  }

  /** Not with the modes and the owner of the source: a backup may come from anywhere. */
  private static void copy(Path source, Path target) throws IOException {
    Files.deleteIfExists(target);
    PrivateFile.create(target);
    try (OutputStream out = Files.newOutputStream(target, StandardOpenOption.WRITE)) {
      Files.copy(source, out);
    }
  }

  private static Path beside(Path file, String end) {
    return file.resolveSibling(file.getFileName() + end);
  }
}
