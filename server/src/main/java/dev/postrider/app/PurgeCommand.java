package dev.postrider.app;

import dev.postrider.cli.option.FileOptions;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.Config;
import dev.postrider.config.Settings;
import dev.postrider.engine.services.OfflineDatabase;
import dev.postrider.json.Json;
import dev.postrider.storage.StorageException;
import dev.postrider.tenant.PurgeCounts;
import dev.postrider.time.SystemTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code postrider purge}: permanently deletes applications and endpoints that were marked as
 * deleted.
 */
public final class PurgeCommand implements Command {
  private static final String DRY_RUN = "--dry-run";
  private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(1);

  @Override
  public CommandSpec spec() {
    CommandSpec spec = FileOptions.addTo(CommandSpec.create().name("purge"));
    spec.addOption(
        OptionSpec.builder(DRY_RUN)
            .type(boolean.class)
            .description("Only counts what would be deleted.")
            .build());
    spec.usageMessage()
        .description(
            "Permanently deletes applications and endpoints that were marked as deleted, with"
                + " their messages, deliveries, attempts and secrets, in small batches with pauses."
                + " Applications and endpoints with unfinished deliveries, or with a source that still"
                + " sends to them, are skipped. With PostgreSQL the servers may keep running; with"
                + " SQLite stop the server first.")
        .footer(
            "",
            "Exit codes: 0 done, 2 the database cannot be opened. The command can be interrupted"
                + " and run again at any time.",
            "",
            "Examples:",
            "  postrider purge --dry-run",
            "  POSTRIDER_DATABASE_URL=postgres://user:password@host/db postrider purge --json");
    return spec;
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    Config config = FileOptions.settings(arguments, terminal);
    boolean dryRun = arguments.matchedOptionValue(DRY_RUN, false);
    PurgeCounts counts = purge(config, dryRun, terminal);
    terminal.out().println(terminal.json() ? json(counts, dryRun) : text(counts, dryRun));
    return ExitCode.OK;
  }

  private static PurgeCounts purge(Config config, boolean dryRun, Terminal terminal) {
    SystemTime time = new SystemTime();
    OfflineDatabase database =
        new OfflineDatabase(config.storage().engine(), Settings::nameOf, time);
    long[] printedNanos = {time.nanos()};
    try {
      return dryRun
          ? database.previewPurge()
          : database.purge(
              counts -> {
                if (time.nanos() - printedNanos[0] > PROGRESS_NANOS) {
                  printedNanos[0] = time.nanos();
                  terminal.err().println(text(counts, false));
                  terminal.err().flush();
                }
              });
    } catch (StorageException e) {
      throw new UserError(String.valueOf(e.getMessage()));
    }
  }

  private static String text(PurgeCounts counts, boolean dryRun) {
    return dryRun
        ? "%d deleted applications and %d deleted endpoints with %,d deliveries could be purged; %d of them are in use and would be skipped"
            .formatted(
                counts.applications(), counts.endpoints(), counts.deliveries(), counts.left())
        : "purged %d applications, %d endpoints, %,d messages, %,d deliveries, %,d attempts; skipped %d that are unfinished or in use"
            .formatted(
                counts.applications(),
                counts.endpoints(),
                counts.messages(),
                counts.deliveries(),
                counts.attempts(),
                counts.left());
  }

  private static String json(PurgeCounts counts, boolean dryRun) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("dryRun", dryRun);
    row.put("applications", counts.applications());
    row.put("endpoints", counts.endpoints());
    row.put("deliveries", counts.deliveries());
    if (!dryRun) {
      row.put("messages", counts.messages());
      row.put("attempts", counts.attempts());
    }
    row.put("left", counts.left());
    return Json.MAPPER.writeValueAsString(row);
  }
}
