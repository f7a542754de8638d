package dev.postrider.cli.command;

import dev.postrider.cli.remote.DeliveryQuery;
import dev.postrider.cli.remote.Listing;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Columns;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/** {@code postrider received}: lists what sources received and rejected. */
public final class ReceivedCommand implements Command {
  private static final int LISTED = 50;

  /** Options with the name of the filter of the call. */
  private static final List<String> FILTERS = List.of("source", "outcome", "signature", "reason");

  @Override
  public CommandSpec spec() {
    return Remote.command(
            "received",
            "Lists the requests that sources received and rejected, newest first, with the result"
                + " of their verification.")
        .required("ACTION", "list.")
        .option("--source", "SOURCE", "Only requests to this source (name). Default: all sources.")
        .option("--outcome", "OUTCOME", "Only these: accepted or rejected.")
        .option(
            "--signature",
            "RESULT",
            "Only requests that were verified with this result: valid, invalid, missing, not_asked"
                + " or api_key.")
        .option(
            "--reason",
            "REASON",
            "Only requests that were rejected for this reason, such as mismatch.")
        .flag("--unrouted", "Only accepted requests that no endpoint or queue takes.")
        .option(
            "--since",
            "TIME",
            "Only requests since this time: 2026-01-31T12:00:00Z, or an age such as 2h.")
        .option("--until", "TIME", "Only requests before this time.")
        .number("--limit", LISTED, "Maximum number of requests.")
        .example("postrider received list")
        .example("postrider received list --source github --signature invalid --since 1d")
        .example("postrider received list --unrouted --json")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String action = arguments.matchedPositionalValue(0, "");
    if (!action.equals("list")) {
      throw new UserError("\"%s\" is not an action: postrider received list.".formatted(action));
    }
    Columns columns =
        new Columns("TIME", "ID", "SOURCE", "OUTCOME", "SIGNATURE", "TYPE", "ADDRESS", "REASON");
    try (Remote remote = Remote.of(arguments, terminal)) {
      for (JsonNode request :
          new Listing(remote, path(arguments), arguments.matchedOptionValue("--limit", LISTED))) {
        if (terminal.json()) {
          terminal.out().println(request);
        } else {
          columns.add(
              text(request, "timestamp"),
              text(request, "id"),
              text(request, "source"),
              text(request, "outcome"),
              text(request, "signature"),
              text(request, "eventType"),
              text(request, "address"),
              text(request, "reason"));
        }
      }
    }
    if (!terminal.json()) {
      columns.print(terminal.out());
    }
    return ExitCode.OK;
  }

  private static String text(JsonNode request, String field) {
    return request.path(field).asString("-");
  }

  private static String path(ParseResult arguments) {
    StringBuilder path = new StringBuilder("/received?");
    for (String filter : FILTERS) {
      DeliveryQuery.add(path, filter, arguments.matchedOptionValue("--" + filter, ""));
    }
    if (arguments.matchedOptionValue("--unrouted", false)) {
      DeliveryQuery.add(path, "unrouted", "true");
    }
    DeliveryQuery.add(path, "after", DeliveryQuery.time(arguments, "--since"));
    DeliveryQuery.add(path, "before", DeliveryQuery.time(arguments, "--until"));
    return path.toString();
  }
}
