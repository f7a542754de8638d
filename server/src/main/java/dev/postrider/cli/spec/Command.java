package dev.postrider.cli.spec;

import dev.postrider.cli.terminal.Terminal;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** One command of the command line. */
public interface Command {
  /** Name, options, help and examples. */
  CommandSpec spec();

  /** Runs the command; returns the exit code. */
  int run(ParseResult arguments, Terminal terminal);
}
