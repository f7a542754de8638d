package dev.postrider.cli.command;

import dev.postrider.cli.Cli;
import dev.postrider.cli.Columns;
import dev.postrider.cli.Command;
import dev.postrider.cli.Listing;
import dev.postrider.cli.Remote;
import dev.postrider.cli.Specs;
import dev.postrider.cli.Terminal;
import dev.postrider.cli.UserError;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code postrider environments}: worlds of their own on one server. */
public final class EnvironmentsCommand implements Command {
  private static final int MOST = 10_000;

  @Override
  public CommandSpec spec() {
    return Specs.remote(
            "environments",
            "Environments, each with its own keys, event types and applications. Only keys of the default environment make and list them; keys create --environment makes the first key of one.")
        .required("ACTION", "create or list.")
        .optional("NAME", "create: the environment's name.")
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
                "environments has the actions create and list, not '" + action + "'.");
      }
    }
    return Cli.OK;
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
      throw new UserError("Name the environment: postrider environments create staging");
    }
    String body = JsonMapper.builder().build().createObjectNode().put("name", name).toString();
    JsonNode made = remote.post("/environments", body);
    terminal.out().println(terminal.json() ? made : made.path("id").asString());
  }
}
