package dev.postrider.cli.command;

import dev.postrider.cli.CallRefused;
import dev.postrider.cli.Cli;
import dev.postrider.cli.Columns;
import dev.postrider.cli.Command;
import dev.postrider.cli.Listing;
import dev.postrider.cli.Progress;
import dev.postrider.cli.Remote;
import dev.postrider.cli.Specs;
import dev.postrider.cli.Terminal;
import dev.postrider.cli.TimeOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/** {@code postrider dead-letters}: deliveries that were given up, and another chance for them. */
public final class DeadLettersCommand implements Command {
  @Override
  public CommandSpec spec() {
    return Specs.remote(
            "dead-letters",
            "Lists deliveries that were given up; --retry gives them another chance.")
        .required("APPLICATION", "Its uid or id; of a source, the source's name.")
        .option("--endpoint", "ENDPOINT", "Only those of this endpoint, by uid or id.")
        .option("--session", "SESSION", "Only those that belong to this agent session.")
        .option("--since", "TIME", "Not older: 2026-01-31T12:00:00Z, or 2h.")
        .number("--limit", 50, "At most so many.")
        .flag("--retry", "Gives each of them a fresh schedule.")
        .example("postrider dead-letters acme")
        .example("postrider dead-letters github --session session-42")
        .example("postrider dead-letters acme --endpoint main --since 1d --retry --limit 1000")
        .exits("0 done, 1 no answer, or some could not be retried, 2 wrong arguments.");
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
        terminal.err().println(retry ? (count - refused) + " are tried again" : count + " shown");
      }
    }
    return refused == 0 ? Cli.OK : Cli.FAILED;
  }

  /** Why not; null if it is tried again. */
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
