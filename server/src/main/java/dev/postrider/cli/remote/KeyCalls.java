package dev.postrider.cli.remote;

import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Columns;
import dev.postrider.cli.terminal.JsonOutput;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The API keys of a running server: {@code keys create}, {@code list} and {@code revoke}. */
public final class KeyCalls {
  private static final int MOST = 10_000;

  private KeyCalls() {}

  public static CommandSpec addTo(CommandSpec spec) {
    Remote.addTo(spec);
    for (Map.Entry<String, String> option :
        Map.of(
                "--application", "create: limits the key to this application.",
                "--environment",
                    "create: the environment of the key. Default: the environment of the caller's"
                        + " key",
                "--role", "create: full or read_only. Default: full",
                "--expires", "create: the expiry time, such as 2027-01-31T12:00:00Z.")
            .entrySet()) {
      spec.addOption(
          OptionSpec.builder(option.getKey())
              .type(String.class)
              .paramLabel("VALUE")
              .description(option.getValue())
              .build());
    }
    return spec;
  }

  public static int run(String action, ParseResult arguments, Terminal terminal) {
    try (Remote remote = Remote.of(arguments, terminal)) {
      String name = arguments.matchedPositionalValue(1, "");
      switch (action) {
        case "list" -> list(remote, terminal);
        case "create" -> create(remote, name, arguments, terminal);
        case "revoke" -> revoke(remote, name, terminal);
        default -> throw new IllegalStateException("unknown action " + action);
      }
    }
    return ExitCode.OK;
  }

  private static void list(Remote remote, Terminal terminal) {
    Columns columns =
        new Columns(
            "ID", "NAME", "BEGINS", "ROLE", "APPLICATION", "EXPIRES", "LAST USED", "REVOKED");
    for (JsonNode key : new Listing(remote, "/auth/api-key?", MOST)) {
      if (terminal.json()) {
        terminal.out().println(key);
      } else {
        columns.add(
            key.path("id").asString(),
            key.path("name").asString(),
            key.path("prefix").asString(),
            key.path("role").asString(),
            key.path("applicationId").asString("all"),
            key.path("expiresAt").asString("never"),
            key.path("lastUsedAt").asString("-"),
            key.path("revokedAt").asString("-"));
      }
    }
    if (!terminal.json()) {
      columns.print(terminal.out());
    }
  }

  private static void create(Remote remote, String name, ParseResult arguments, Terminal terminal) {
    if (name.isEmpty()) {
      throw new UserError("Give the key a name: postrider keys create billing-service");
    }
    ObjectNode body = JsonMapper.builder().build().createObjectNode().put("name", name);
    Map.of("--application", "applicationId", "--role", "role", "--expires", "expiresAt")
        .forEach(
            (flag, field) -> {
              String value = arguments.matchedOptionValue(flag, "");
              if (!value.isEmpty()) {
                body.put(field, value);
              }
            });
    String environment = arguments.matchedOptionValue("--environment", "");
    String path =
        environment.isEmpty()
            ? "/auth/api-key"
            : "/environments/" + Remote.part(environment) + "/api-key";
    JsonNode key = remote.post(path, body.toString());
    if (terminal.json()) {
      terminal.out().println(key);
    } else {
      terminal
          .err()
          .println(
              "created "
                  + key.path("id").asString()
                  + "; copy the key now, it is not shown again:");
      terminal.out().println(key.path("token").asString());
    }
  }

  private static void revoke(Remote remote, String id, Terminal terminal) {
    if (id.isEmpty()) {
      throw new UserError(
          "Give the id of the key: postrider keys revoke key_…; postrider keys list shows the"
              + " ids.");
    }
    remote.call("DELETE", "/auth/api-key/" + Remote.part(id), null);
    terminal
        .out()
        .println(terminal.json() ? JsonOutput.write(Map.of("revoked", id)) : id + " is revoked");
  }
}
