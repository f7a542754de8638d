package dev.postrider.cli.command;

import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Progress;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/** {@code postrider prune}: starts a prune run now instead of at the daily time. */
public final class PruneCommand implements Command {
  private static final String NO_WAIT = "--no-wait";
  private static final Duration LOOK_EVERY = Duration.ofMillis(200);

  /** Seconds within which an instance should have started. */
  private static final int PATIENCE = 60;

  @Override
  public CommandSpec spec() {
    return Remote.command(
            "prune",
            "Deletes messages, deliveries and attempts past their retention, expired payloads and"
                + " old idempotency keys now, instead of at the daily time (POSTRIDER_RETENTION_TIME)."
                + " The running server deletes them in batches with pauses, and this command waits"
                + " until it has finished. For deleted applications see postrider purge.")
        .flag(NO_WAIT, "Starts the prune run and exits without waiting for it.")
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
        show(
            run,
            terminal,
            "prune run requested; run postrider prune without --no-wait to wait for its result");
        return ExitCode.OK;
      }
      JsonNode ended = await(remote, run.path("requestedAt").asString(), terminal);
      JsonNode removed = ended.path("removed");
      show(
          ended,
          terminal,
          "deleted %d messages, %d deliveries, %d attempts, %d payloads, %d idempotency keys, %d expired signing secrets"
              .formatted(
                  removed.path("messages").asLong(),
                  removed.path("deliveries").asLong(),
                  removed.path("attempts").asLong(),
                  removed.path("payloads").asLong(),
                  removed.path("idempotencyKeys").asLong(),
                  removed.path("secrets").asLong()));
    }
    return ExitCode.OK;
  }

  private static void show(JsonNode run, Terminal terminal, String text) {
    terminal.out().println(terminal.json() ? run.toString() : text);
  }

  /**
   * Waits until a run that started after the request has finished. Both times have the same format.
   */
  private static JsonNode await(Remote remote, String requestedAt, Terminal terminal) {
    try (Progress progress = Progress.counting(terminal, "pruning, messages deleted")) {
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
              "No instance has started the prune run within a minute. Instances with the role api"
                  + " do not prune: start an instance with the role all or worker.");
        }
        progress.step(run.at("/removed/messages").asLong());
        LockSupport.parkNanos(LOOK_EVERY.toNanos());
      }
    }
  }
}
