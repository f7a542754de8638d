package dev.postrider.cli.command;

import dev.postrider.cli.remote.Listing;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Columns;
import dev.postrider.cli.terminal.Terminal;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code postrider inspect}: everything about one message. */
public final class InspectCommand implements Command {
  private static final int MOST = 1_000;

  @Override
  public CommandSpec spec() {
    return Remote.command("inspect", "Shows a message, its deliveries, and every attempt.")
        .required(
            "APPLICATION",
            "The uid or id of the application; for a source, the name of the source.")
        .required("MESSAGE", "The id of the message, or its eventId.")
        .example("postrider inspect acme msg_2ZsGkL0cXWvXqCbbcJk2zYm9Qhd")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    JsonMapper json = JsonMapper.builder().build();
    String base =
        "/app/"
            + Remote.part(arguments.matchedPositionalValue(0, ""))
            + "/msg/"
            + Remote.part(arguments.matchedPositionalValue(1, ""));
    try (Remote remote = Remote.of(arguments, terminal)) {
      JsonNode message = remote.get(base);
      List<JsonNode> exits = all(new Listing(remote, base + "/endpoint?", MOST));
      List<JsonNode> attempts = all(new Listing(remote, base + "/attempt?", MOST));
      if (terminal.json()) {
        ObjectNode out = json.createObjectNode();
        out.set("message", message);
        exits.forEach(out.putArray("endpoints")::add);
        attempts.forEach(out.putArray("attempts")::add);
        terminal.out().println(out);
        return ExitCode.OK;
      }
      PrintWriter out = terminal.out();
      out.println(message.path("id").asString() + "  " + message.path("eventType").asString());
      out.println("at " + message.path("timestamp").asString());
      out.println(
          json.writerWithDefaultPrettyPrinter().writeValueAsString(message.path("payload")));
      out.println();
      exits(exits, out);
      attempts(attempts, out);
    }
    return ExitCode.OK;
  }

  private static List<JsonNode> all(Listing listing) {
    List<JsonNode> items = new ArrayList<>();
    listing.forEach(items::add);
    return items;
  }

  private static void exits(List<JsonNode> exits, PrintWriter out) {
    Columns columns = new Columns("ENDPOINT", "STATUS", "NEXT TRY", "URL");
    for (JsonNode exit : exits) {
      columns.add(
          exit.path("uid").asString(exit.path("id").asString()),
          exit.path("statusText").asString(exit.path("status").asString()),
          exit.path("nextAttempt").asString("-"),
          exit.path("url").asString());
    }
    if (columns.isEmpty()) {
      out.println("No deliveries: no endpoint is subscribed to this event type.");
    } else {
      columns.print(out);
    }
  }

  private static void attempts(List<JsonNode> attempts, PrintWriter out) {
    Columns columns = new Columns("TRIED AT", "ANSWER", "MS", "ENDPOINT", "RESPONSE");
    for (JsonNode attempt : attempts) {
      String response = attempt.path("response").asString("").strip().replace('\n', ' ');
      columns.add(
          attempt.path("timestamp").asString(),
          attempt.path("responseStatusCode").asString(),
          attempt.path("responseDurationMs").asString("-"),
          attempt.path("endpointId").asString(),
          response.length() > 60 ? response.substring(0, 60) + "…" : response);
    }
    if (!columns.isEmpty()) {
      out.println();
      columns.print(out);
    }
  }
}
