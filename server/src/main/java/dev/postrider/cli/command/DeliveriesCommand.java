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

/** {@code postrider deliveries}: lists deliveries, and retries or cancels one. */
public final class DeliveriesCommand implements Command {
  @Override
  public CommandSpec spec() {
    Specs specs =
        Remote.command(
                "deliveries",
                "Deliveries. list shows them, newest first, with their last attempt and its error:"
                    + " without an application, --session or --endpoint, only waiting deliveries and"
                    + " dead letters. retry sends one again now, with a new retry schedule if it had"
                    + " ended. cancel cancels one that has not been delivered; one that is being sent"
                    + " is delivered or canceled by its attempt.")
            .required("ACTION", "list, retry or cancel.")
            .optional(
                "APPLICATION",
                "The uid or id of the application; for a source, the name of the source. Default of"
                    + " list: all applications.")
            .optional("DELIVERY", "retry and cancel: the id of the delivery.")
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
        .example("postrider deliveries retry acme dlv_2ZsGkL0cXWvXqCbbcJk2zYm9Qhd")
        .example("postrider deliveries cancel acme dlv_2ZsGkL0cXWvXqCbbcJk2zYm9Qhd")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String action = arguments.matchedPositionalValue(0, "");
    String application = arguments.matchedPositionalValue(1, "");
    String delivery = arguments.matchedPositionalValue(2, "");
    boolean list = action.equals("list");
    if (!list && !action.equals("retry") && !action.equals("cancel")) {
      throw new UserError(
          "\"%s\" is not an action: postrider deliveries list [APPLICATION], or postrider deliveries retry|cancel APPLICATION DELIVERY."
              .formatted(action));
    }
    if (list != delivery.isEmpty()) {
      throw new UserError(
          list
              ? "list has no delivery: postrider deliveries list [APPLICATION]"
              : "Give the delivery: postrider deliveries %s APPLICATION DELIVERY"
                  .formatted(action));
    }
    return list
        ? list(application, arguments, terminal)
        : change(action, application, delivery, arguments, terminal);
  }

  private static int change(
      String action,
      String application,
      String delivery,
      ParseResult arguments,
      Terminal terminal) {
    String path =
        "/app/" + Remote.part(application) + "/delivery/" + Remote.part(delivery) + "/" + action;
    try (Remote remote = Remote.of(arguments, terminal)) {
      JsonNode changed = remote.post(path, null);
      terminal.out().println(terminal.json() ? changed : delivery + " " + state(action, changed));
    }
    return ExitCode.OK;
  }

  private static String state(String action, JsonNode changed) {
    if (action.equals("retry")) {
      return "is queued for retry";
    }
    return changed.path("status").asString().equals("canceled")
        ? "is canceled"
        : "is being sent, and is canceled if this attempt fails";
  }

  private static int list(String application, ParseResult arguments, Terminal terminal) {
    String path =
        DeliveryQuery.path(application, arguments.matchedOptionValue("--status", ""), arguments);
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
