package dev.postrider.cli.command;

import dev.postrider.cli.remote.Listing;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Columns;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code postrider environments}: creates and lists environments. */
public final class EnvironmentsCommand implements Command {
  private static final int MOST = 10_000;

  @Override
  public CommandSpec spec() {
    return Remote.command(
            "environments",
            "Creates and lists environments. Each environment has its own API keys, event types"
                + " and applications. This needs an API key of the default environment. Create the"
                + " first API key of an environment with postrider keys create --environment.")
        .required("ACTION", "create or list.")
        .optional("NAME", "create: the name of the environment.")
        .example("postrider environments create staging")
        .example("postrider environments list")
        .example("postrider keys create billing --environment env_2ZsGkL0cXWvXqCbbcJk2zYm9Qhd")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String action = arguments.matchedPositionalValue(0, "");
    String name = arguments.matchedPositionalValue(1, "");
    try (Remote remote = Remote.of(arguments, terminal)) {
      switch (action) {
        case "list" -> list(remote, terminal);
        case "create" -> create(remote, name, terminal);
        default ->
            throw new UserError(
                "unknown action of postrider environments; use create or list, not '"
                    + action
                    + "'.");
      }
    }
    return ExitCode.OK;
  }

  private static void list(Remote remote, Terminal terminal) {
    Columns columns = new Columns("ID", "NAME", "CREATED");
    for (JsonNode environment : new Listing(remote, "/environments?", MOST)) {
      if (terminal.json()) {
        terminal.out().println(environment);
      } else {
        columns.add(
            environment.path("id").asString(),
            environment.path("name").asString(),
            environment.path("createdAt").asString());
      }
    }
    if (!terminal.json()) {
      columns.print(terminal.out());
    }
  }

  private static void create(Remote remote, String name, Terminal terminal) {
    if (name.isEmpty()) {
      throw new UserError("Give the environment a name: postrider environments create staging");
    }
    String body = JsonMapper.builder().build().createObjectNode().put("name", name).toString();
    JsonNode made = remote.post("/environments", body);
    terminal.out().println(terminal.json() ? made : made.path("id").asString());
  }
}
