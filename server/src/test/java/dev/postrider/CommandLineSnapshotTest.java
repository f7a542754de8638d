package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.Cli;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.testkit.Snapshot;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** Scripts depend on the commands and their options. */
class CommandLineSnapshotTest {
  /** A command that gets hold of all others as the parser knows them. */
  private static final class Probe implements Command {
    private final List<String> facts = new ArrayList<>();

    @Override
    public CommandSpec spec() {
      return CommandSpec.create().name("probe");
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      CommandSpec root = arguments.commandSpec().parent();
      root.removeSubcommand("probe");
      describe(root.name(), root, facts);
      return ExitCode.OK;
    }
  }

  @Test
  void commandsAndOptionsAreThoseOfTheSnapshot() {
    Probe probe = new Probe();
    Cli.Actions actions = Main.actions();
    List<Command> more = Stream.concat(actions.more().stream(), Stream.of(probe)).toList();
    StringWriter text = new StringWriter();
    int code =
        new Cli(
                new Cli.Actions(actions.serve(), actions.warmUp(), more),
                Map.of(),
                new PrintWriter(text),
                new PrintWriter(text))
            .run("probe");
    assertThat(code).as(text.toString()).isEqualTo(ExitCode.OK);
    Snapshot.check("cli-snapshot.txt", getClass(), probe.facts);
  }

  private static void describe(String name, CommandSpec command, List<String> facts) {
    facts.add(name + " command" + (command.usageMessage().hidden() ? " hidden" : ""));
    for (PositionalParamSpec argument : command.positionalParameters()) {
      facts.add(name + " argument " + argument.index() + described(argument));
    }
    for (OptionSpec option : command.options()) {
      if (!option.inherited()) {
        facts.add(name + " option " + String.join(",", option.names()) + described(option));
      }
    }
    command
        .subcommands()
        .forEach((word, sub) -> describe(name + " " + word, sub.getCommandSpec(), facts));
  }

  private static String described(ArgSpec argument) {
    boolean isSwitch = argument.arity().max() == 0;
    return (isSwitch ? "" : " " + argument.paramLabel() + " arity " + argument.arity())
        + (argument.required() ? " required" : "")
        + (argument.hidden() ? " hidden" : "")
        + (argument.defaultValue() == null ? "" : " default " + argument.defaultValue());
  }
}
