package dev.postrider.cli.command;

import dev.postrider.cli.remote.DeliveryQuery;
import dev.postrider.cli.remote.Listing;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.spec.Specs;
import dev.postrider.cli.terminal.Columns;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/** {@code postrider deliveries}: lists deliveries of one application or of all. */
public final class DeliveriesCommand implements Command {
  @Override
  public CommandSpec spec() {
    Specs specs =
        Remote.command(
                "deliveries",
                "Lists deliveries, newest first, with their last attempt and its error. Without an"
                    + " application, --session or --endpoint, lists only waiting deliveries and dead"
                    + " letters.")
            .required("ACTION", "list.")
            .optional(
                "APPLICATION",
                "The uid or id of the application; for a source, the name of the source. Default:"
                    + " all applications.")
            .option(
                "--status",
                "STATUS",
                "Only deliveries of this status: pending, sending, delivered, failed, dead_letter"
                    + " or canceled.");
    return DeliveryQuery.addTo(specs, "deliveries")
        .number("--limit", 50, "Maximum number of deliveries.")
        .example("postrider deliveries list")
        .example("postrider deliveries list acme --status failed --since 2h")
        .example("postrider deliveries list --session session-42 --json")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String action = arguments.matchedPositionalValue(0, "");
    if (!action.equals("list")) {
      throw new UserError(
          "\"%s\" is not an action: postrider deliveries list [APPLICATION].".formatted(action));
    }
    String path =
        DeliveryQuery.path(
            arguments.matchedPositionalValue(1, ""),
            arguments.matchedOptionValue("--status", ""),
            arguments);
    try (Remote remote = Remote.of(arguments, terminal)) {
      Columns columns = DeliveryQuery.columns();
      for (JsonNode delivery :
          new Listing(remote, path, arguments.matchedOptionValue("--limit", 50))) {
        if (terminal.json()) {
          terminal.out().println(delivery);
        } else {
          DeliveryQuery.show(delivery, columns);
        }
      }
      if (!terminal.json()) {
        columns.print(terminal.out());
      }
    }
    return ExitCode.OK;
  }
}
