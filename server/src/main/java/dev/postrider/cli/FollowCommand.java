package dev.postrider.cli;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/**
 * What {@code tail} and {@code listen} have in common: they go on, also when the server does not.
 */
abstract class FollowCommand implements Command {
  private static final int MAX_WAIT_MS = 30_000;

  /** Does something with one message. */
  interface Taking {
    void take(JsonNode message);
  }

  static Specs options(Specs specs) {
    return specs
        .required("APPLICATION", "Its uid or id; of a source, the source's name.")
        .option("--type", "TYPE", "Only of this event type.")
        .option("--since", "TIME", "Starts in the past: 2026-01-31T12:00:00Z, or 2h.")
        .number("--limit", 0, "Ends after so many; 0 goes on.")
        .number("--interval", 1_000, "Milliseconds between two looks.");
  }

  static int follow(ParseResult arguments, Terminal terminal, Remote remote, Taking taking) {
    String type = arguments.matchedOptionValue("--type", "");
    Follower follower =
        new Follower(
            remote,
            arguments.matchedPositionalValue(0, ""),
            "with_content=true" + (type.isEmpty() ? "" : "&event_types=" + Remote.part(type)));
    String since =
        arguments.hasMatchedOption("--since")
            ? Times.parse(arguments.matchedOptionValue("--since", ""), "--since")
            : null;
    if (since == null) {
      follower.startNow();
    } else {
      follower.startAt(Instant.parse(since));
    }
    int limit = arguments.matchedOptionValue("--limit", 0);
    int intervalMs = Math.max(50, arguments.matchedOptionValue("--interval", 1_000));
    int waitMs = intervalMs;
    int taken = 0;
    while (!Thread.currentThread().isInterrupted()) {
      try {
        List<JsonNode> fresh = follower.next();
        waitMs = intervalMs;
        for (JsonNode message : fresh) {
          taking.take(message);
          if (++taken == limit) {
            return Cli.OK;
          }
        }
      } catch (ServerAway e) {
        waitMs = Math.min(MAX_WAIT_MS, Math.max(1_000, waitMs * 2));
        terminal.err().println("postrider: " + e.getMessage() + " Trying again.");
      }
      terminal.out().flush();
      terminal.err().flush();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(waitMs));
    }
    return Cli.OK;
  }
}
