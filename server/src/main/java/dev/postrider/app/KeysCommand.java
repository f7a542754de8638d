package dev.postrider.app;

import static java.util.Objects.requireNonNull;

import dev.postrider.cli.option.FileOptions;
import dev.postrider.cli.remote.KeyCalls;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.spec.Specs;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.Config;
import dev.postrider.config.Settings;
import dev.postrider.engine.services.OfflineDatabase;
import dev.postrider.engine.services.OfflineMasterKey;
import dev.postrider.storage.DataFolderInUse;
import dev.postrider.storage.StorageException;
import dev.postrider.time.SystemTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code postrider keys rotate-master}: replaces the master key while the server runs. */
public final class KeysCommand implements Command {
  static final long WAIT_MS = 60_000;

  @Override
  public CommandSpec spec() {
    CommandSpec spec = FileOptions.addTo(CommandSpec.create().name("keys"));
    spec.addPositional(
        Specs.positional(0, "ACTION", true, "create NAME, list, revoke ID, or rotate-master."));
    spec.addPositional(
        Specs.positional(
            1, "NAME", false, "create: the name of the key; revoke: the id of the key."));
    KeyCalls.addTo(spec);
    spec.usageMessage()
        .description(
            "Creates, lists and revokes API keys of a running server. rotate-master replaces the"
                + " master key. If the master key is in a file, this command creates a new key, and the"
                + " running server re-encrypts all data keys with it and replaces the file. If it is in"
                + " POSTRIDER_MASTER_KEY, or is the URI of a key in a KMS, first restart every instance"
                + " with the new key in POSTRIDER_MASTER_KEY and the old one in"
                + " POSTRIDER_MASTER_KEY_PREVIOUS, then run this command.")
        .footer(
            "",
            "Examples:",
            "  postrider keys create billing-service",
            "  postrider keys list",
            "  postrider keys revoke key_2ZsGkL0cXWvXqCbbcJk2zYm9Qhd",
            "  postrider keys rotate-master",
            "  POSTRIDER_DATA_DIR=/var/lib/postrider postrider keys rotate-master");
    return spec;
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String action = arguments.matchedPositionalValue(0, "");
    if (Set.of("create", "list", "revoke").contains(action)) {
      return KeyCalls.run(action, arguments, terminal);
    }
    if (!action.equals("rotate-master")) {
      throw new UserError(
          "unknown action of postrider keys; use create, list, revoke or rotate-master, not '"
              + action
              + "'.");
    }
    Config config = FileOptions.settings(arguments, terminal);
    String done = rotate(config, terminal);
    terminal.out().println(terminal.json() ? "{\"rotated\":true}" : done);
    return ExitCode.OK;
  }

  private static String rotate(Config config, Terminal terminal) {
    SystemTime time = new SystemTime();
    OfflineMasterKey key = new OfflineMasterKey(config.security().engine(), Settings::nameOf, time);
    Path staged = key.stage().orElse(null);
    if (staged != null) {
      terminal
          .err()
          .println("the new master key is in place; waiting until the data keys are re-encrypted");
    }
    try {
      OfflineMasterKey.Rotation rotation =
          key.rotate(new OfflineDatabase(config.storage().engine(), Settings::nameOf, time));
      return switch (rotation) {
        case OfflineMasterKey.Rotation.Reencrypted(int done, int left) ->
            "%d data keys were re-encrypted, %d remain".formatted(done, left);
        case OfflineMasterKey.Rotation.Replaced(String id) -> "the master key is now " + id;
        case OfflineMasterKey.Rotation.InProgress() -> awaitServer(requireNonNull(staged));
      };
    } catch (DataFolderInUse e) {
      if (staged == null) {
        throw new UserError(String.valueOf(e.getMessage()));
      }
      return awaitServer(staged);
    } catch (StorageException e) {
      throw new UserError(String.valueOf(e.getMessage()));
    }
  }

  /** The server has the database locked; it detects the new key within a second. */
  private static String awaitServer(Path staged) {
    for (long waited = 0; waited < WAIT_MS; waited += 100) {
      if (Files.notExists(staged)) {
        return "the running server has replaced the master key";
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
    throw new UserError(
        "The running server has not replaced the master key within a minute; see its log. The"
            + " new key remains at "
            + staged
            + ".");
  }
}
