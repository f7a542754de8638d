package dev.postrider.cli.command;

import dev.postrider.cli.option.TimeOptions;
import dev.postrider.cli.remote.Listing;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.remote.RunningTask;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.JsonOutput;
import dev.postrider.cli.terminal.Progress;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code postrider replay}: sends messages again. */
public final class ReplayCommand implements Command {
  private static final int MOST = 1_000;

  @Override
  public CommandSpec spec() {
    return Remote.command(
            "replay",
            "Sends a message again, to one endpoint or to all its endpoints; or sends all messages"
                + " again that failed at one endpoint since a time. The server continues in the"
                + " background if you interrupt this command.")
        .required(
            "APPLICATION",
            "The uid or id of the application; for a source, the name of the source.")
        .optional("MESSAGE", "The id of the message. Without it, use --endpoint and --since.")
        .option("--endpoint", "ENDPOINT", "The uid or id of the endpoint.")
        .option(
            "--since",
            "TIME",
            "Start of the time range of failed messages: 2026-01-31T12:00:00Z, or an age such as"
                + " 2h.")
        .option("--until", "TIME", "End of the time range of failed messages.")
        .example("postrider replay acme msg_2ZsGkL0cXWvXqCbbcJk2zYm9Qhd")
        .example("postrider replay acme --endpoint main --since 2h")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String application = "/app/" + Remote.part(arguments.matchedPositionalValue(0, ""));
    String message = arguments.matchedPositionalValue(1, "");
    String endpoint = arguments.matchedOptionValue("--endpoint", "");
    String since = time(arguments, "--since");
    if (message.isEmpty() && (endpoint.isEmpty() || since == null)) {
      throw new UserError(
          "Give the id of a message, or --endpoint with --since. See: postrider replay --help");
    }
    try (Remote remote = Remote.of(arguments, terminal)) {
      List<String> done =
          message.isEmpty()
              ? recover(remote, application, endpoint, since, time(arguments, "--until"), terminal)
              : resend(remote, application, message, endpoint, terminal);
      if (terminal.json()) {
        terminal.out().println(JsonOutput.write(Map.of("replayed", done)));
      } else {
        done.forEach(terminal.out()::println);
      }
    }
    return ExitCode.OK;
  }

  private static @Nullable String time(ParseResult arguments, String flag) {
    return arguments.hasMatchedOption(flag)
        ? TimeOptions.parse(arguments.matchedOptionValue(flag, ""), flag)
        : null;
  }

  private static List<String> recover(
      Remote remote,
      String application,
      String endpoint,
      @Nullable String since,
      @Nullable String until,
      Terminal terminal) {
    ObjectNode body = JsonMapper.builder().build().createObjectNode();
    body.put("since", since);
    body.put("freshSchedule", true);
    if (until != null) {
      body.put("until", until);
    }
    JsonNode task =
        remote.post(
            application + "/endpoint/" + Remote.part(endpoint) + "/recover", body.toString());
    return List.of(RunningTask.followed(remote, task, terminal));
  }

  private static List<String> resend(
      Remote remote, String application, String message, String endpoint, Terminal terminal) {
    String base = application + "/msg/" + Remote.part(message) + "/endpoint";
    List<String> targets = new ArrayList<>();
    if (endpoint.isEmpty()) {
      new Listing(remote, base + "?", MOST).forEach(e -> targets.add(e.path("id").asString()));
    } else {
      targets.add(endpoint);
    }
    if (targets.isEmpty()) {
      throw new UserError("The message has no deliveries. Give an endpoint with --endpoint.");
    }
    List<String> done = new ArrayList<>();
    try (Progress progress = Progress.of(terminal, "queued again", targets.size())) {
      for (String target : targets) {
        remote.post(base + "/" + Remote.part(target) + "/resend", null);
        done.add("queued again for " + target);
        progress.step(done.size());
      }
    }
    return done;
  }
}
