package dev.postrider.cli.command;

import dev.postrider.cli.option.PlainServe;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.spec.ServeAction;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.config.Config;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code postrider warm-up}: the training run of the launcher for the AOT cache; leaves no files.
 * Runs on SQLite and, if {@value #DATABASE} names a database, also on PostgreSQL, in a schema that
 * it makes and deletes.
 */
public final class WarmUpCommand implements Command {
  /** Not a setting of a server: a training run never uses the database of one. */
  static final String DATABASE = "POSTRIDER_TRAINING_DATABASE_URL";

  private final ServeAction action;

  public WarmUpCommand(ServeAction action) {
    this.action = action;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("warm-up");
    spec.usageMessage()
        .hidden(true)
        .description("Starts a server in a temporary folder, sends it some requests and stops it.");
    return spec;
  }

  /** The settings of the caller are ignored: a training run must not touch real data. */
  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    int code = train(Map.of());
    String database = terminal.environment().getOrDefault(DATABASE, "");
    if (code == ExitCode.OK && !database.isBlank()) {
      String schema = "training_" + UUID.randomUUID().toString().replace("-", "");
      code = train(Map.of("--database-url", database, "--database-schema", schema));
    }
    return code;
  }

  private int train(Map<String, String> database) {
    try {
      Path folder = Files.createTempDirectory("postrider-warm-up");
      try {
        // As a plain start does, so that its classes are in the cache too.
        Map<String, String> flags =
            new HashMap<>(PlainServe.flags(arguments(folder)).orElseThrow());
        flags.putAll(database);
        return action.run(Config.of(Map.of(), flags));
      } finally {
        delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String[] arguments(Path folder) {
    return new String[] {
      "serve",
      "--data-dir",
      folder.toString(),
      "--port",
      "0",
      "--allow-targets",
      "127.0.0.1",
      "--log-level",
      "error"
    };
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> inside = Files.walk(folder)) {
      List<Path> deepestFirst = inside.sorted(Comparator.reverseOrder()).toList();
      for (Path path : deepestFirst) {
        Files.deleteIfExists(path);
      }
    }
  }
}
