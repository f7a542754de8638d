package dev.postrider.cli.command.follow;

import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.terminal.Terminal;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code postrider tail}: prints new messages as they arrive. */
public final class TailCommand extends FollowCommand {
  @Override
  public CommandSpec spec() {
    return options(Remote.command("tail", "Prints new messages of an application as they arrive."))
        .example("postrider tail acme")
        .example("postrider tail github --type push --since 1h --json")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    try (Remote remote = Remote.of(arguments, terminal)) {
      return follow(
          arguments,
          terminal,
          remote,
          message ->
              terminal
                  .out()
                  .println(
                      terminal.json()
                          ? message.toString()
                          : message.path("timestamp").asString()
                              + "  "
                              + message.path("id").asString()
                              + "  "
                              + message.path("eventType").asString()
                              + "  "
                              + message.path("payload")));
    }
  }
}
