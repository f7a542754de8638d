package dev.postrider.cli.command;

import dev.postrider.cli.option.TimeOptions;
import dev.postrider.cli.remote.DeliveryQuery;
import dev.postrider.cli.remote.Listing;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.remote.RunningTask;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Columns;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code postrider events}: lists messages of an application, replays some or cancels one. */
public final class EventsCommand implements Command {
  private static final String REPLAY = "replay";
  private static final String CANCEL = "cancel";
  private static final int LISTED = 20;

  @Override
  public CommandSpec spec() {
    return Remote.command(
            "events",
            "Lists the messages of an application, newest first. replay sends those of a time range"
                + " again, oldest first, to all enabled endpoints that take them, with a new retry"
                + " schedule. The server continues in the background if you interrupt this command."
                + " cancel cancels the deliveries of a message that have not been delivered.")
        .required(
            "APPLICATION",
            "The uid or id of the application; for a source, the name of the source. To send its"
                + " messages again: replay, followed by the application.")
        .optional(
            "REPLAYED", "After replay and cancel: the uid or id of the application, or the source.")
        .optional("MESSAGE", "cancel: the id of the message, or its eventId.")
        .option("--type", "TYPE", "Only messages of this event type.")
        .option(
            "--since",
            "TIME",
            "Only messages since this time: 2026-01-31T12:00:00Z, or an age such as 2h. replay"
                + " needs it.")
        .option("--until", "TIME", "Only messages before this time.")
        .option("--endpoint", "ENDPOINT", "replay: only to this endpoint (uid or id).")
        .number("--limit", LISTED, "Maximum number of messages; of replay, 1000 by default.")
        .example("postrider events acme")
        .example("postrider events github --type push --since 2h --json")
        .example("postrider events replay github --type push --since 2h --limit 100")
        .example("postrider events cancel acme msg_2ZsGkL0cXWvXqCbbcJk2zYm9Qhd")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String first = arguments.matchedPositionalValue(0, "");
    String second = arguments.matchedPositionalValue(1, "");
    String message = arguments.matchedPositionalValue(2, "");
    if (second.isEmpty()) {
      return list(first, arguments, terminal);
    }
    if (first.equals(REPLAY) && message.isEmpty()) {
      return replay(second, arguments, terminal);
    }
    if (first.equals(CANCEL) && !message.isEmpty()) {
      return cancel(second, message, arguments, terminal);
    }
    throw new UserError(
        first.equals(CANCEL)
            ? "Give the message: postrider events cancel APPLICATION MESSAGE"
            : "\"%s\" is not an action. Use: postrider events APPLICATION, postrider events replay APPLICATION, or postrider events cancel APPLICATION MESSAGE"
                .formatted(first.equals(REPLAY) ? second : first));
  }

  private static int cancel(
      String application, String message, ParseResult arguments, Terminal terminal) {
    String path = "/app/" + Remote.part(application) + "/msg/" + Remote.part(message) + "/cancel";
    try (Remote remote = Remote.of(arguments, terminal)) {
      JsonNode result = remote.post(path, null);
      terminal
          .out()
          .println(
              terminal.json()
                  ? result
                  : "%s canceled; %s are being sent, and are canceled if this attempt fails"
                      .formatted(result.path("canceled"), result.path("sending")));
    }
    return ExitCode.OK;
  }

  private static int replay(String application, ParseResult arguments, Terminal terminal) {
    String since = DeliveryQuery.time(arguments, "--since");
    if (since == null) {
      throw new UserError(
          "Give the start of the time range: postrider events replay APPLICATION --since TIME");
    }
    ObjectNode body = JsonMapper.builder().build().createObjectNode();
    body.put("since", since);
    body.put("until", DeliveryQuery.time(arguments, "--until"));
    String type = arguments.matchedOptionValue("--type", "");
    if (!type.isEmpty()) {
      body.putArray("eventTypes").add(type);
    }
    String endpoint = arguments.matchedOptionValue("--endpoint", "");
    if (!endpoint.isEmpty()) {
      body.putArray("endpoints").add(endpoint);
    }
    if (arguments.hasMatchedOption("--limit")) {
      body.put("max", arguments.matchedOptionValue("--limit", LISTED));
    }
    try (Remote remote = Remote.of(arguments, terminal)) {
      JsonNode begun = remote.post("/app/" + Remote.part(application) + "/replay", body.toString());
      JsonNode ended = RunningTask.ended(remote, begun, terminal);
      terminal.out().println(terminal.json() ? ended : RunningTask.line(ended));
      if (ended.path("data").path("maxReached").asBoolean(false)) {
        terminal.err().println("The maximum is reached; there may be more messages. See --limit.");
      }
    }
    return ExitCode.OK;
  }

  private static int list(String name, ParseResult arguments, Terminal terminal) {
    if (arguments.hasMatchedOption("--endpoint")) {
      throw new UserError("--endpoint is for replay; a list has the messages of all endpoints");
    }
    String application = Remote.part(name);
    String path = "/app/" + application + "/msg" + query(arguments, terminal.json());
    try (Remote remote = Remote.of(arguments, terminal)) {
      Columns columns = new Columns("TIME", "ID", "TYPE");
      for (JsonNode message :
          new Listing(remote, path, arguments.matchedOptionValue("--limit", LISTED))) {
        if (terminal.json()) {
          terminal.out().println(message);
        } else {
          columns.add(
              message.path("timestamp").asString(),
              message.path("id").asString(),
              message.path("eventType").asString());
        }
      }
      if (!terminal.json()) {
        columns.print(terminal.out());
      }
    }
    return ExitCode.OK;
  }

  /** The filter that several commands share. */
  static String query(ParseResult arguments, boolean withContent) {
    StringBuilder query = new StringBuilder("?with_content=" + withContent);
    String type = arguments.matchedOptionValue("--type", "");
    if (!type.isEmpty()) {
      query.append("&event_types=").append(Remote.part(type));
    }
    for (String flag : new String[] {"--since", "--until"}) {
      String given =
          arguments.hasMatchedOption(flag) ? arguments.matchedOptionValue(flag, "") : null;
      String time = TimeOptions.parse(given, flag);
      if (time != null) {
        query.append(flag.equals("--since") ? "&after=" : "&before=").append(Remote.part(time));
      }
    }
    return query.toString();
  }
}
