package dev.postrider.cli.command;

import dev.postrider.cli.Cli;
import dev.postrider.cli.Command;
import dev.postrider.cli.Specs;
import dev.postrider.cli.option.TimeOptions;
import dev.postrider.cli.remote.CallRefused;
import dev.postrider.cli.remote.Listing;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.terminal.Columns;
import dev.postrider.cli.terminal.Progress;
import dev.postrider.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/** {@code postrider dead-letters}: lists and retries dead letters. */
public final class DeadLettersCommand implements Command {
  @Override
  public CommandSpec spec() {
    return Specs.remote(
            "dead-letters",
            "Lists dead letters: deliveries whose retries are used up. --retry sends them again.")
        .required(
            "APPLICATION",
            "The uid or id of the application; for a source, the name of the source.")
        .option("--endpoint", "ENDPOINT", "Only dead letters of this endpoint (uid or id).")
        .option("--session", "SESSION", "Only dead letters of this agent session.")
        .option(
            "--since",
            "TIME",
            "Only dead letters since this time: 2026-01-31T12:00:00Z, or an age such as 2h.")
        .number("--limit", 50, "Maximum number of dead letters.")
        .flag("--retry", "Retries each of them with a new retry schedule.")
        .example("postrider dead-letters acme")
        .example("postrider dead-letters github --session session-42")
        .example("postrider dead-letters acme --endpoint main --since 1d --retry --limit 1000")
        .exits(
            "0 done, 1 the server did not respond or some could not be retried, 2 wrong"
                + " arguments.");
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String base = "/app/" + Remote.part(arguments.matchedPositionalValue(0, "")) + "/delivery";
    StringBuilder query = new StringBuilder("?status=dead_letter");
    String endpoint = arguments.matchedOptionValue("--endpoint", "");
    if (!endpoint.isEmpty()) {
      query.append("&endpoint_id=").append(Remote.part(endpoint));
    }
    String session = arguments.matchedOptionValue("--session", "");
    if (!session.isEmpty()) {
      query.append("&session_id=").append(Remote.part(session));
    }
    String given =
        arguments.hasMatchedOption("--since") ? arguments.matchedOptionValue("--since", "") : null;
    String since = TimeOptions.parse(given, "--since");
    if (since != null) {
      query.append("&after=").append(Remote.part(since));
    }
    boolean retry = arguments.matchedOptionValue("--retry", false);
    int refused = 0;
    try (Remote remote = Remote.of(arguments, terminal)) {
      Columns columns = new Columns("CREATED", "DELIVERY", "MESSAGE", "TRIES", "REASON");
      int count = 0;
      int most = arguments.matchedOptionValue("--limit", 50);
      try (Progress progress = Progress.counting(terminal, "dead letters")) {
        for (JsonNode delivery : new Listing(remote, base + query, most)) {
          String refusal = retry ? retried(remote, base, delivery) : null;
          if (refusal != null) {
            refused++;
            progress.clear();
            terminal.err().println("postrider: " + refusal);
          }
          show(delivery, columns, terminal);
          progress.step(++count);
        }
      }
      if (!terminal.json()) {
        columns.print(terminal.out());
        terminal
            .err()
            .println(retry ? (count - refused) + " are queued for retry" : count + " shown");
      }
    }
    return refused == 0 ? Cli.OK : Cli.FAILED;
  }

  /** The error; null if the delivery is queued for retry. */
  private static @Nullable String retried(Remote remote, String base, JsonNode delivery) {
    String id = delivery.path("id").asString();
    try {
      remote.post(base + "/" + Remote.part(id) + "/retry", null);
      return null;
    } catch (CallRefused e) {
      return id + ": " + e.getMessage();
    }
  }

  private static void show(JsonNode delivery, Columns columns, Terminal terminal) {
    if (terminal.json()) {
      terminal.out().println(delivery);
      return;
    }
    columns.add(
        delivery.path("createdAt").asString(),
        delivery.path("id").asString(),
        delivery.path("msgId").asString(),
        delivery.path("attempts").asString(),
        delivery.path("reason").asString("-"));
  }
}
