package dev.postrider.cli.command.follow;

import dev.postrider.cli.option.TimeOptions;
import dev.postrider.cli.remote.MessageFollower;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.spec.Specs;
import dev.postrider.cli.terminal.Terminal;
import java.time.Instant;
import picocli.CommandLine.ParseResult;

/**
 * Shared parts of {@code tail} and {@code listen}: both reconnect when the server is unreachable.
 */
abstract class FollowCommand implements Command {
  static Specs options(Specs specs) {
    return specs
        .required(
            "APPLICATION",
            "The uid or id of the application; for a source, the name of the source.")
        .option("--type", "TYPE", "Only messages of this event type.")
        .option(
            "--since",
            "TIME",
            "Starts with the messages since this time: 2026-01-31T12:00:00Z, or an age such as"
                + " 2h.")
        .number("--limit", 0, "Exits after this many messages; 0 means no limit.");
  }

  static int follow(
      ParseResult arguments,
      Terminal terminal,
      Remote remote,
      MessageFollower.MessageConsumer consumer) {
    String since =
        arguments.hasMatchedOption("--since")
            ? TimeOptions.parse(arguments.matchedOptionValue("--since", ""), "--since")
            : null;
    MessageFollower.Filter filter =
        new MessageFollower.Filter(
            arguments.matchedPositionalValue(0, ""),
            arguments.matchedOptionValue("--type", ""),
            since == null ? null : Instant.parse(since),
            arguments.matchedOptionValue("--limit", 0));
    new MessageFollower(remote, terminal, filter, consumer).run();
    return ExitCode.OK;
  }
}
