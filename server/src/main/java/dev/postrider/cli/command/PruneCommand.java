package dev.postrider.cli.command;

import dev.postrider.cli.Cli;
import dev.postrider.cli.Command;
import dev.postrider.cli.Progress;
import dev.postrider.cli.Remote;
import dev.postrider.cli.Specs;
import dev.postrider.cli.Terminal;
import dev.postrider.cli.UserError;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/** {@code postrider prune}: removes what is past its retention now, not at night. */
public final class PruneCommand implements Command {
  private static final String NO_WAIT = "--no-wait";
  private static final Duration LOOK_EVERY = Duration.ofMillis(200);

  /** Seconds after which somebody should have begun. */
  private static final int PATIENCE = 60;

  @Override
  public CommandSpec spec() {
    return Specs.remote(
            "prune",
            "Removes messages, deliveries and attempts past their retention, expired payloads and old idempotency keys now, instead of at the daily time (POSTRIDER_RETENTION_TIME). The running server does it, with pauses, and this waits for the end. Deleted applications: postrider purge.")
        .flag(NO_WAIT, "Returns as soon as the run is ordered.")
        .example("postrider prune")
        .example("postrider prune --json")
        .example("postrider prune --no-wait")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    try (Remote remote = Remote.of(arguments, terminal)) {
      JsonNode run = remote.post("/prune", null);
      if (arguments.matchedOptionValue(NO_WAIT, false)) {
        show(run, terminal, "ordered; postrider prune waits for the end of a run");
        return Cli.OK;
      }
      JsonNode ended = await(remote, run.path("requestedAt").asString(), terminal);
      JsonNode removed = ended.path("removed");
      show(
          ended,
          terminal,
          "removed %d messages, %d deliveries, %d attempts, %d payloads, %d idempotency keys, %d secrets"
              .formatted(
                  removed.path("messages").asLong(),
                  removed.path("deliveries").asLong(),
                  removed.path("attempts").asLong(),
                  removed.path("payloads").asLong(),
                  removed.path("idempotencyKeys").asLong(),
                  removed.path("secrets").asLong()));
    }
    return Cli.OK;
  }

  private static void show(JsonNode run, Terminal terminal, String text) {
    terminal.out().println(terminal.json() ? run.toString() : text);
  }

  /** Until a run that began after the request has ended. Both times have the same form. */
  private static JsonNode await(Remote remote, String requestedAt, Terminal terminal) {
    try (Progress progress = Progress.counting(terminal, "pruning, messages removed")) {
      for (long looks = 1; ; looks++) {
        JsonNode run = remote.get("/prune");
        boolean begun = run.path("startedAt").asString().compareTo(requestedAt) >= 0;
        if (begun && run.has("finishedAt")) {
          return run;
        }
        if (!begun
            && run.path("status").asString().equals("waiting")
            && looks * LOOK_EVERY.toMillis() > PATIENCE * 1_000L) {
          throw new UserError(
              "No instance has begun within a minute. Those with the role api do not prune: start one with the role all or worker.");
        }
        progress.step(run.at("/removed/messages").asLong());
        LockSupport.parkNanos(LOOK_EVERY.toNanos());
      }
    }
  }
}
