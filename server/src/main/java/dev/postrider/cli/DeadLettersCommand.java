package dev.postrider.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/** {@code postrider dead-letters}: deliveries that were given up, and another chance for them. */
final class DeadLettersCommand implements Command {
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
    String since = Times.parse(given, "--since");
    if (since != null) {
      query.append("&after=").append(Remote.part(since));
    }
    boolean retry = arguments.matchedOptionValue("--retry", false);
    int refused = 0;
    try (Remote remote = Remote.of(arguments, terminal)) {
      Columns columns = new Columns("CREATED", "DELIVERY", "MESSAGE", "TRIES", "REASON");
      Progress progress = new Progress(terminal, "dead letters");
      int count = 0;
      int most = arguments.matchedOptionValue("--limit", 50);
      for (JsonNode delivery : new Listing(remote, base + query, most)) {
        if (retry && !retried(remote, base, delivery, terminal)) {
          refused++;
        }
        show(delivery, columns, terminal);
        progress.step(++count, -1);
      }
      progress.end();
      if (!terminal.json()) {
        columns.print(terminal.out());
        terminal.err().println(retry ? (count - refused) + " are tried again" : count + " shown");
      }
    }
    return refused == 0 ? Cli.OK : Cli.FAILED;
  }

  private static boolean retried(Remote remote, String base, JsonNode delivery, Terminal terminal) {
    String id = delivery.path("id").asString();
    try {
      remote.post(base + "/" + Remote.part(id) + "/retry", null);
      return true;
    } catch (Refused e) {
      terminal.err().println("postrider: " + id + ": " + e.getMessage());
      return false;
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
