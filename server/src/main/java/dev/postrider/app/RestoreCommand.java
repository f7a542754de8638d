package dev.postrider.app;

import static java.util.Objects.requireNonNull;

import dev.postrider.cli.option.FileOptions;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.Config;
import dev.postrider.config.Settings;
import dev.postrider.disk.PrivateFile;
import dev.postrider.maintenance.MasterKeys;
import dev.postrider.options.MasterKeySource;
import dev.postrider.storage.StorageException;
import dev.postrider.storage.sqlite.FolderLock;
import dev.postrider.storage.sqlite.SqliteCopy;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code postrider restore FILE}: replaces the SQLite database with a backup. */
public final class RestoreCommand implements Command {
  private static final String FORCE = "--force";
  private static final String WITHOUT_KEY = "--without-master-key";

  private static final String LOG = "-wal";

  /** The database file, its write-ahead log, and the index of the log. */
  private static final List<String> PARTS = List.of("", LOG, "-shm");

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
      SqliteCopy.Contents contents = SqliteCopy.check(backup);
      refuseWithoutKey(config, contents, arguments.matchedOptionValue(WITHOUT_KEY, false));
      put(backup, database, terminal);
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
  private static void refuseWithoutKey(
      Config config, SqliteCopy.Contents contents, boolean anyway) {
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

  private static void refuseForeignKey(Config config, SqliteCopy.Contents contents) {
    String configured =
        MasterKeys.current(
                config.security().engine(), Settings::nameOf, new SystemTime(), new SecureRandom())
            .id();
    if (!contents.masterKeys().isEmpty() && !contents.masterKeys().contains(configured)) {
      throw new StorageException(
          "the secrets in the backup are encrypted with master key %s, but the configured master key is %s: configure the master key that was in use when the backup was written (or use %s)"
              .formatted(String.join(", ", contents.masterKeys()), configured, WITHOUT_KEY),
          null);
    }
  }

  private static void put(Path backup, Path database, Terminal terminal) throws IOException {
    try (FolderLock _ = FolderLock.take(database, Settings::nameOf)) {
      Path unfinished = sibling(database, ".restoring");
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
   * The existing database is not opened as a server would: it may be damaged, which may be the
   * reason for the restore. Its log is copied first, because SQLite deletes a log that it cannot
   * use.
   */
  private static void moveAside(Path database, Terminal terminal) throws IOException {
    Path replaced = sibling(database, ".replaced");
    for (String part : PARTS) {
      Files.deleteIfExists(
          sibling(
              replaced, part)); // otherwise SQLite would use it as the log of the restored database
    }
    if (Files.exists(sibling(database, LOG))) {
      copy(sibling(database, LOG), sibling(replaced, LOG));
    }
    if (Files.exists(database)) {
      if (SqliteCopy.foldLog(database)) {
        Files.deleteIfExists(sibling(replaced, LOG));
      } else {
        terminal
            .err()
            .println(
                "the existing database is damaged; its write-ahead log is kept unchanged next to it");
      }
      Files.move(database, replaced, StandardCopyOption.ATOMIC_MOVE);
    }
    for (String part : PARTS) {
      Files.deleteIfExists(sibling(database, part));
    }
  }

  /** Without the modes and the owner of the backup file, which may come from another machine. */
  private static void copy(Path source, Path target) throws IOException {
    Files.deleteIfExists(target);
    PrivateFile.create(target);
    try (OutputStream out = Files.newOutputStream(target, StandardOpenOption.WRITE)) {
      Files.copy(source, out);
    }
  }

  private static Path sibling(Path file, String end) {
    return file.resolveSibling(file.getFileName() + end);
  }
}
