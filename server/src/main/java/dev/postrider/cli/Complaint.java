package dev.postrider.cli;

import dev.postrider.cli.remote.CallRefused;
import dev.postrider.cli.remote.ServerUnreachable;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.JsonOutput;
import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.ConfigException;
import dev.postrider.configfile.BadFile;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/**
 * Prints an error on stderr, as one line or as JSON; with a stack trace only if it was requested.
 */
record Complaint(PrintWriter err, boolean verbose, boolean json) {

  static Complaint asAsked(PrintWriter err, String... arguments) {
    List<String> given = List.of(arguments);
    return new Complaint(err, given.contains("--verbose"), given.contains("--json"));
  }

  int about(RuntimeException e) {
    return switch (e) {
      case ConfigException bad -> about(bad.problems(), e, ExitCode.USER_ERROR);
      case BadFile bad -> about(bad.lines(), e, ExitCode.USER_ERROR);
      case CallRefused bad -> about(List.of(String.valueOf(bad.getMessage())), e, ExitCode.FAILED);
      case ServerUnreachable bad ->
          about(List.of(String.valueOf(bad.getMessage())), e, ExitCode.FAILED);
      case UserError bad ->
          about(List.of(String.valueOf(bad.getMessage())), e, ExitCode.USER_ERROR);
      default ->
          about(
              List.of(
                  "Unexpected failure: "
                      + e
                      + ". Run the command again with --verbose to see the stack trace."),
              e,
              ExitCode.FAILED);
    };
  }

  int about(List<String> problems, RuntimeException cause, int code) {
    if (json) {
      err.println(JsonOutput.write(Map.of("errors", problems)));
    } else {
      problems.forEach(problem -> err.println("postrider: " + problem));
    }
    if (verbose) {
      cause.printStackTrace(err);
    }
    return code;
  }
}
