package dev.postrider.cli.command;

import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Columns;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code postrider endpoints}: sends test requests to endpoints. */
public final class EndpointsCommand implements Command {
  /** The longest timeout of an endpoint is a minute. */
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  @Override
  public CommandSpec spec() {
    return Remote.command(
            "endpoints",
            "Endpoints. test sends one signed request to an endpoint, through its transform, and"
                + " shows the response. Nothing is stored: no message, delivery or attempt.")
        .required("ACTION", "test.")
        .required("APPLICATION", "The uid or id of the application.")
        .required("ENDPOINT", "The uid or id of the endpoint.")
        .required("TYPE", "The event type, such as invoice.paid.")
        .optional("PAYLOAD", "The payload as JSON; - reads it from stdin. Default: {}")
        .option("--file", "FILE", "Reads the payload from a file.")
        .example("postrider endpoints test acme main invoice.paid '{\"id\": \"inv_1\"}'")
        .example("postrider endpoints test acme main invoice.paid --file invoice.json --json")
        .exits(
            "0 the endpoint responded with 2xx, 1 it did not or the server rejected the request,"
                + " 2 wrong arguments.");
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String action = arguments.matchedPositionalValue(0, "");
    if (!action.equals("test")) {
      throw new UserError(
          "\"%s\" is not an action: postrider endpoints test APPLICATION ENDPOINT TYPE [PAYLOAD]."
              .formatted(action));
    }
    JsonMapper json = JsonMapper.builder().build();
    ObjectNode test = json.createObjectNode();
    test.put("eventType", arguments.matchedPositionalValue(3, ""));
    test.set("payload", SendCommand.payload(arguments, 4, json));
    String path =
        "/app/%s/endpoint/%s/test"
            .formatted(
                Remote.part(arguments.matchedPositionalValue(1, "")),
                Remote.part(arguments.matchedPositionalValue(2, "")));
    try (Remote remote = Remote.of(arguments, terminal)) {
      JsonNode answer = remote.post(path, test.toString(), TIMEOUT);
      if (terminal.json()) {
        terminal.out().println(answer);
      } else {
        show(answer, terminal);
      }
      return answer.path("outcome").asString("").equals("success") ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  private static void show(JsonNode answer, Terminal terminal) {
    Columns columns = new Columns("FIELD", "VALUE");
    columns.add("outcome", answer.path("outcome").asString(""));
    add(columns, "error", answer.path("error"));
    if (answer.has("url")) {
      columns.add(
          "request", answer.path("method").asString("") + " " + answer.path("url").asString(""));
      answer
          .path("sentHeaders")
          .properties()
          .forEach(header -> add(columns, header.getKey(), header.getValue()));
      add(columns, "body", answer.path("body"));
      columns.add("duration", answer.path("responseDurationMs").asString("") + " ms");
    }
    add(columns, "status", answer.path("responseStatusCode"));
    add(columns, "response", answer.path("response"));
    add(columns, "transform error", answer.path("transformError"));
    columns.print(terminal.out());
  }

  private static void add(Columns columns, String name, JsonNode value) {
    if (!value.isMissingNode() && !value.isNull()) {
      columns.add(name, value.isContainer() ? value.toString() : value.asString());
    }
  }
}
