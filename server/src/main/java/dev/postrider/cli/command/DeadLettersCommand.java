package dev.postrider.cli.command;

import dev.postrider.cli.remote.CallRefused;
import dev.postrider.cli.remote.DeliveryQuery;
import dev.postrider.cli.remote.Listing;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.remote.RunningTask;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Columns;
import dev.postrider.cli.terminal.JsonOutput;
import dev.postrider.cli.terminal.Progress;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code postrider dead-letters}: lists and retries dead letters. */
public final class DeadLettersCommand implements Command {
  @Override
  public CommandSpec spec() {
    return Remote.command(
            "dead-letters",
            "Lists dead letters: deliveries that have failed permanently. --retry retries the listed"
                + " ones, --redrive all dead letters of the application.")
        .optional(
            "APPLICATION",
            "The uid or id of the application; for a source, the name of the source. Default: all"
                + " applications; not for --redrive and --type.")
        .option("--endpoint", "ENDPOINT", "Only dead letters of this endpoint (uid or id).")
        .option("--session", "SESSION", "Only dead letters of this agent session.")
        .option(
            "--since",
            "TIME",
            "Only dead letters since this time: 2026-01-31T12:00:00Z, or an age such as 2h.")
        .option("--until", "TIME", "Only dead letters before this time.")
        .option("--type", "TYPE", "Only messages of this event type.")
        .number("--limit", 50, "Maximum number of dead letters; not for --redrive.")
        .flag("--retry", "Retries each of them with a new retry schedule.")
        .flag(
            "--redrive",
            "Gives all dead letters of the application a new retry schedule. The server continues"
                + " in the background if you interrupt this command.")
        .example("postrider dead-letters")
        .example("postrider dead-letters acme")
        .example("postrider dead-letters github --session session-42")
        .example("postrider dead-letters acme --endpoint main --since 1d --retry --limit 1000")
        .example("postrider dead-letters acme --redrive --since 1d --type invoice.paid")
        .exits(
            "0 done, 1 the server did not respond or some could not be retried, 2 wrong"
                + " arguments.");
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String application = arguments.matchedPositionalValue(0, "");
    for (String flag : List.of("--redrive", "--type")) {
      if (application.isEmpty() && arguments.hasMatchedOption(flag)) {
        throw new UserError("Give the application: postrider dead-letters APPLICATION " + flag);
      }
    }
    return arguments.matchedOptionValue("--redrive", false)
        ? redrive("/app/" + Remote.part(application), arguments, terminal)
        : list(application, arguments, terminal);
  }

  private static int redrive(String application, ParseResult arguments, Terminal terminal) {
    for (String other : List.of("--endpoint", "--session", "--retry", "--limit")) {
      if (arguments.hasMatchedOption(other)) {
        throw new UserError(
            "--redrive is for all dead letters of the application; use it without " + other);
      }
    }
    ObjectNode body = JsonMapper.builder().build().createObjectNode();
    body.put("since", DeliveryQuery.time(arguments, "--since"));
    body.put("until", DeliveryQuery.time(arguments, "--until"));
    String type = arguments.matchedOptionValue("--type", "");
    if (!type.isEmpty()) {
      body.putArray("eventTypes").add(type);
    }
    try (Remote remote = Remote.of(arguments, terminal)) {
      JsonNode task = remote.post(application + "/redrive", body.toString());
      String done = RunningTask.followed(remote, task, terminal);
      terminal.out().println(terminal.json() ? JsonOutput.write(Map.of("redriven", done)) : done);
    }
    return ExitCode.OK;
  }

  private static int list(String application, ParseResult arguments, Terminal terminal) {
    StringBuilder path =
        new StringBuilder(DeliveryQuery.path(application, "dead_letter", arguments));
    DeliveryQuery.add(path, "event_types", arguments.matchedOptionValue("--type", ""));
    boolean retry = arguments.matchedOptionValue("--retry", false);
    int refused = 0;
    try (Remote remote = Remote.of(arguments, terminal)) {
      Columns columns = DeliveryQuery.columns();
      int count = 0;
      int most = arguments.matchedOptionValue("--limit", 50);
      try (Progress progress = Progress.counting(terminal, "dead letters")) {
        for (JsonNode delivery : new Listing(remote, path.toString(), most)) {
          String refusal = retry ? retried(remote, delivery) : null;
          if (refusal != null) {
            refused++;
            progress.clear();
            terminal.err().println("postrider: " + refusal);
          }
          if (terminal.json()) {
            terminal.out().println(delivery);
          } else {
            DeliveryQuery.show(delivery, columns);
          }
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
    return refused == 0 ? ExitCode.OK : ExitCode.FAILED;
  }

  /** The error; null if the delivery is queued for retry. */
  private static @Nullable String retried(Remote remote, JsonNode delivery) {
    String id = delivery.path("id").asString();
    try {
      String application = Remote.part(delivery.path("applicationId").asString());
      remote.post("/app/" + application + "/delivery/" + Remote.part(id) + "/retry", null);
      return null;
    } catch (CallRefused e) {
      return id + ": " + e.getMessage();
    }
  }
}
