package dev.postrider.cli.command.follow;

import dev.postrider.cli.remote.LocalTarget;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.terminal.Terminal;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code postrider listen}: forwards messages of an application to a URL on this machine. */
public final class ListenCommand extends FollowCommand {
  @Override
  public CommandSpec spec() {
    return options(
            Remote.command(
                "listen",
                "Forwards new messages of an application from the server to a URL on this machine."
                    + " Reconnects by itself when the connection to the server is lost."))
        .option("--to", "URL", "URL to post the messages to, such as http://localhost:3000/hook.")
        .option("--secret", "SECRET", "Signs the requests with this endpoint secret.")
        .example("postrider listen acme --to http://localhost:3000/hook")
        .example("postrider listen github --to http://localhost:3000 --since 1h --limit 10")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    try (LocalTarget target =
            LocalTarget.of(
                "--to",
                arguments.matchedOptionValue("--to", ""),
                arguments.matchedOptionValue("--secret", ""));
        Remote remote = Remote.of(arguments, terminal)) {
      terminal
          .err()
          .println(
              "forwarding messages of %s at %s to %s; press Ctrl-C to stop"
                  .formatted(arguments.matchedPositionalValue(0, ""), remote.base(), target.url()));
      terminal.err().flush();
      return follow(
          arguments,
          terminal,
          remote,
          message -> target.bring(message, message.path("id").asString(), terminal));
    }
  }
}
