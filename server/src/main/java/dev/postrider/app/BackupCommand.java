package dev.postrider.app;

import dev.postrider.cli.Cli;
import dev.postrider.cli.Command;
import dev.postrider.cli.Specs;
import dev.postrider.cli.Terminal;
import dev.postrider.cli.UserError;
import dev.postrider.config.Config;
import dev.postrider.config.DatabaseUrl;
import dev.postrider.json.Json;
import dev.postrider.storage.SqliteCopy;
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

/** {@code postrider backup FILE}: a consistent copy of the SQLite database, beside the server. */
public final class BackupCommand implements Command {
  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("backup");
    spec.addPositional(file("Where the copy goes; must not exist yet."));
    spec.usageMessage()
        .description(
            "Copies the SQLite database while the server runs, and reads the copy through. The"
                + " master key is not in it: keep it apart, because without it no secret in the"
                + " copy can be read. For PostgreSQL use pg_dump.")
        .footer(
            "",
            "Exit codes: 0 the copy is there and sound, 1 it could not be made, 2 wrong use.",
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
      throw new UserError("\"" + given + "\" is no path of a file: " + e.getReason() + ".");
    }
  }

  /** The SQLite file; PostgreSQL has tools of its own, which are better than any of ours. */
  static Path sqlite(Config config) {
    return switch (config.storage().database()) {
      case DatabaseUrl.Sqlite(Path path) -> path.toAbsolutePath();
      case DatabaseUrl.Postgres(String _, String _, var _, String schema) ->
          throw new UserError(
              "This database is PostgreSQL. Back up with pg_dump --format=custom --schema=%s, restore with pg_restore, and check the dump with pg_restore --list. The master key is not in it: keep POSTRIDER_MASTER_KEY apart."
                  .formatted(schema));
    };
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    Path database = sqlite(Config.of(terminal.environment(), Map.of()));
    Path target = path(arguments);
    if (Files.exists(target)) {
      throw new UserError(
          target + " exists already; a backup never overwrites. Name another file.");
    }
    if (Files.notExists(database)) {
      throw new UserError(
          "There is no database at " + database + ". Set POSTRIDER_DATA_DIR as for the server.");
    }
    try {
      tell(SqliteCopy.copy(database, target), target, terminal);
      return Cli.OK;
    } catch (IOException | StorageException e) {
      terminal.err().println("postrider: no backup was made: " + e.getMessage());
      return Cli.FAILED;
    }
  }

  static void tell(SqliteCopy.Contents contents, Path file, Terminal terminal) {
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
            "%s: %,d bytes, schema version %d, %,d messages, %,d deliveries; read through and"
                + " sound%n",
            file,
            contents.bytes(),
            contents.schemaVersion(),
            contents.messages(),
            contents.deliveries());
    if (!contents.masterKeys().isEmpty()) {
      terminal
          .out()
          .printf(
              "its secrets need the master key %s, which is not in it: keep that apart%n",
              String.join(", ", contents.masterKeys()));
    }
  }
}
