package dev.postrider.cli.command;

import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Columns;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code postrider send}: sends one message. */
public final class SendCommand implements Command {
  @Override
  public CommandSpec spec() {
    return Remote.command("send", "Sends a message to an application.")
        .required("APPLICATION", "The uid or id of the application.")
        .required("TYPE", "The event type, such as invoice.paid.")
        .optional("PAYLOAD", "The payload as JSON; - reads it from stdin. Default: {}")
        .option("--file", "FILE", "Reads the payload from a file.")
        .option(
            "--event-id",
            "ID",
            "The id of the event in your system; a second message with the same id is not accepted.")
        .option(
            "--max-retries",
            "N",
            "Limits each delivery to N retries, 0 to 50; the retry schedule is cut.")
        .option("--channel", "NAME", "Sends only to endpoints that are subscribed to this channel.")
        .example("postrider send acme invoice.paid '{\"id\": \"inv_1\", \"amount\": 42}'")
        .flag(
            "--dry-run",
            "Validates the message, and shows which endpoints would get it and the result of filters"
                + " and transforms. Stores and sends nothing.")
        .example("postrider send acme invoice.paid --file invoice.json")
        .example("postrider send acme invoice.paid --file invoice.json --dry-run --json")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    JsonMapper json = JsonMapper.builder().build();
    ObjectNode message = json.createObjectNode();
    message.put("eventType", arguments.matchedPositionalValue(1, ""));
    message.set("payload", payload(arguments, 2, json));
    String eventId = arguments.matchedOptionValue("--event-id", "");
    if (!eventId.isEmpty()) {
      message.put("eventId", eventId);
    }
    String retries = arguments.matchedOptionValue("--max-retries", "");
    if (!retries.isEmpty()) {
      message.put("maxRetries", maxRetries(retries));
    }
    String channel = arguments.matchedOptionValue("--channel", "");
    if (!channel.isEmpty()) {
      message.putArray("channels").add(channel);
    }
    try (Remote remote = Remote.of(arguments, terminal)) {
      String application = Remote.part(arguments.matchedPositionalValue(0, ""));
      boolean dry = arguments.hasMatchedOption("--dry-run");
      String path = "/app/" + application + "/msg" + (dry ? "?dryRun=true" : "");
      JsonNode answer = remote.post(path, message.toString());
      if (dry && !terminal.json()) {
        show(answer, terminal);
      } else {
        terminal.out().println(terminal.json() ? answer.toString() : answer.path("id").asString());
      }
    }
    return ExitCode.OK;
  }

  private static int maxRetries(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException _) {
      throw new UserError("--max-retries: \"%s\" is not a whole number.".formatted(text));
    }
  }

  private static void show(JsonNode plan, Terminal terminal) {
    Columns columns = new Columns("ENDPOINT", "OUTCOME", "REQUEST", "BODY OR ERROR");
    for (JsonNode delivery : plan.path("deliveries")) {
      boolean sent = delivery.path("outcome").asString("").equals("send");
      String uid = delivery.path("endpointUid").asString("");
      JsonNode body = delivery.path("body");
      columns.add(
          uid.isEmpty() ? delivery.path("endpointId").asString("") : uid,
          delivery.path("outcome").asString(""),
          sent
              ? delivery.path("method").asString("") + " " + delivery.path("url").asString("")
              : "",
          !sent
              ? delivery.path("error").asString("")
              : body.isString() ? body.asString() : body.toString());
    }
    columns.print(terminal.out());
    for (JsonNode warning : plan.path("warnings")) {
      terminal.out().println("warning: " + warning.path("msg").asString(""));
    }
    if (plan.path("deliveries").isEmpty()) {
      terminal
          .out()
          .println("No endpoint is subscribed to this event type. Nothing would be sent.");
    }
  }

  /**
   * The payload of a message.
   *
   * @param position of the argument with the payload, if there is no {@code --file}
   */
  static JsonNode payload(ParseResult arguments, int position, JsonMapper json) {
    String given = arguments.matchedPositionalValue(position, "");
    String file = arguments.matchedOptionValue("--file", "");
    try {
      String text =
          !file.isEmpty()
              ? Files.readString(Path.of(file))
              : given.equals("-")
                  ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
                  : given.isEmpty() ? "{}" : given;
      return json.readTree(text);
    } catch (JacksonException e) {
      throw new UserError(
          "The payload is not valid JSON (%s). Quote it for the shell: '{\"amount\": 42}'."
              .formatted(e.getOriginalMessage()));
    } catch (IOException e) {
      throw UserError.unreadable(file.isEmpty() ? "stdin" : file, e);
    }
  }
}
