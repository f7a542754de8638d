package dev.postrider.cli.command;

import dev.postrider.cli.Cli;
import dev.postrider.cli.Command;
import dev.postrider.cli.MessageFollower;
import dev.postrider.cli.Remote;
import dev.postrider.cli.Specs;
import dev.postrider.cli.Terminal;
import dev.postrider.cli.TimeOptions;
import java.time.Instant;
import picocli.CommandLine.ParseResult;

/**
 * What {@code tail} and {@code listen} have in common: they go on, also when the server does not.
 */
abstract class FollowCommand implements Command {
  static Specs options(Specs specs) {
    return specs
        .required("APPLICATION", "Its uid or id; of a source, the source's name.")
        .option("--type", "TYPE", "Only of this event type.")
        .option("--since", "TIME", "Starts in the past: 2026-01-31T12:00:00Z, or 2h.")
        .number("--limit", 0, "Ends after so many; 0 goes on.");
  }

  static int follow(
      ParseResult arguments, Terminal terminal, Remote remote, MessageFollower.Taking taking) {
    String since =
        arguments.hasMatchedOption("--since")
            ? TimeOptions.parse(arguments.matchedOptionValue("--since", ""), "--since")
            : null;
    MessageFollower.Wanted wanted =
        new MessageFollower.Wanted(
            arguments.matchedPositionalValue(0, ""),
            arguments.matchedOptionValue("--type", ""),
            since == null ? null : Instant.parse(since),
            arguments.matchedOptionValue("--limit", 0));
    new MessageFollower(remote, terminal, wanted, taking).run();
    return Cli.OK;
  }
}
