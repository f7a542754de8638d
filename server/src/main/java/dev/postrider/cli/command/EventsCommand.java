package dev.postrider.cli.command;

import dev.postrider.cli.Cli;
import dev.postrider.cli.Command;
import dev.postrider.cli.Specs;
import dev.postrider.cli.option.TimeOptions;
import dev.postrider.cli.remote.Listing;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.terminal.Columns;
import dev.postrider.cli.terminal.Terminal;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/** {@code postrider events}: the newest messages of an application. */
public final class EventsCommand implements Command {
  @Override
  public CommandSpec spec() {
    return Specs.remote("events", "Lists the messages of an application, newest first.")
        .required(
            "APPLICATION",
            "The uid or id of the application; for a source, the name of the source.")
        .option("--type", "TYPE", "Only messages of this event type.")
        .option(
            "--since",
            "TIME",
            "Only messages since this time: 2026-01-31T12:00:00Z, or an age such as 2h.")
        .number("--limit", 20, "Maximum number of messages.")
        .example("postrider events acme")
        .example("postrider events github --type push --since 2h --json")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String application = Remote.part(arguments.matchedPositionalValue(0, ""));
    String path = "/app/" + application + "/msg" + query(arguments, terminal.json());
    try (Remote remote = Remote.of(arguments, terminal)) {
      Columns columns = new Columns("TIME", "ID", "TYPE");
      for (JsonNode message :
          new Listing(remote, path, arguments.matchedOptionValue("--limit", 20))) {
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
    return Cli.OK;
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
