package dev.postrider.app;

import dev.postrider.cli.option.FileOptions;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.spec.Specs;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.Config;
import dev.postrider.config.DatabaseUrl;
import dev.postrider.config.Settings;
import dev.postrider.engine.services.SqliteBackup;
import dev.postrider.json.Json;
import dev.postrider.storage.BackupContents;
import dev.postrider.storage.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** {@code postrider backup FILE}: a consistent copy of the SQLite database of a running server. */
public final class BackupCommand implements Command {
  @Override
  public CommandSpec spec() {
    CommandSpec spec = FileOptions.addTo(CommandSpec.create().name("backup"));
    spec.addPositional(file("File to write the copy to; it must not exist yet."));
    spec.usageMessage()
        .description(
            "Copies the SQLite database while the server runs and verifies the copy. The copy"
                + " does not contain the master key: store the key separately, because the secrets in"
                + " the copy cannot be decrypted without it. For PostgreSQL use pg_dump.")
        .footer(
            "",
            "Exit codes: 0 the copy was written and verified, 1 the copy failed, 2 wrong usage.",
            "",
            "Examples:",
            "  postrider backup /backup/postrider-2026-11-15.db",
            "  POSTRIDER_DATA_DIR=/var/lib/postrider postrider backup --json /backup/postrider.db");
    return spec;
  }

  static PositionalParamSpec file(String description) {
    return Specs.positional(0, "FILE", true, description);
  }

  static Path path(ParseResult arguments) {
    String given = arguments.matchedPositionalValue(0, "");
    try {
      return Path.of(given).toAbsolutePath();
    } catch (InvalidPathException e) {
      throw new UserError("\"" + given + "\" is not a valid file path: " + e.getReason() + ".");
    }
  }

  /** The SQLite file; PostgreSQL has its own backup tools. */
  static Path sqlite(Config config) {
    return switch (config.storage().database()) {
      case DatabaseUrl.Sqlite(Path path) -> path.toAbsolutePath();
      case DatabaseUrl.Postgres(String _, String _, var _, String schema) ->
          throw new UserError(
              "This database is PostgreSQL. Back it up with pg_dump --format=custom --schema=%s, restore it with pg_restore, and check the dump with pg_restore --list. The dump does not contain the master key: store POSTRIDER_MASTER_KEY separately."
                  .formatted(schema));
    };
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    Path database = sqlite(FileOptions.settings(arguments, terminal));
    Path target = path(arguments);
    if (Files.exists(target)) {
      throw new UserError(
          target
              + " already exists, and a backup never overwrites a file. Choose another file name.");
    }
    if (Files.notExists(database)) {
      throw new UserError(
          "Database not found: "
              + database
              + ". Set POSTRIDER_DATA_DIR to the same folder as the server.");
    }
    try {
      print(new SqliteBackup(database, Settings::nameOf).copyTo(target), target, terminal);
      return ExitCode.OK;
    } catch (IOException | StorageException e) {
      terminal.err().println("postrider: the backup failed: " + e.getMessage());
      return ExitCode.FAILED;
    }
  }

  static void print(BackupContents contents, Path file, Terminal terminal) {
    if (terminal.json()) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("file", file.toString());
      row.put("bytes", contents.bytes());
      row.put("schemaVersion", contents.schemaVersion());
      row.put("messages", contents.messages());
      row.put("deliveries", contents.deliveries());
      row.put("masterKeys", List.copyOf(contents.masterKeys()));
      terminal.out().println(Json.MAPPER.writeValueAsString(row));
      return;
    }
    terminal
        .out()
        .printf(
            "%s: %,d bytes, schema version %d, %,d messages, %,d deliveries; verified%n",
            file,
            contents.bytes(),
            contents.schemaVersion(),
            contents.messages(),
            contents.deliveries());
    if (!contents.masterKeys().isEmpty()) {
      terminal
          .out()
          .printf(
              "the secrets in it are encrypted with master key %s, which is not part of the backup:"
                  + " store the key separately%n",
              String.join(", ", contents.masterKeys()));
    }
  }
}
