package dev.postrider.cli.command;

import dev.postrider.cli.Cli;
import dev.postrider.cli.Command;
import dev.postrider.cli.FileOptions;
import dev.postrider.cli.PlanText;
import dev.postrider.cli.Remote;
import dev.postrider.cli.Terminal;
import dev.postrider.configfile.ConfigurationFile;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/** {@code postrider plan}: what applying the file would change. */
public final class PlanCommand implements Command {
  /** As other tools do: a difference is not an error, and a script can tell. */
  static final int DIFFERS = 3;

  @Override
  public CommandSpec spec() {
    CommandSpec spec = PlanText.options("plan");
    spec.usageMessage()
        .description("Shows the difference between the configuration file and the running server.")
        .footer(
            "",
            "Examples:",
            "  postrider plan",
            "  postrider plan --env staging --server https://hooks.example.com",
            "",
            "Exit codes: 0 nothing to change, 3 there is a difference, 1 no answer, 2 the file is"
                + " refused.");
    return spec;
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    ConfigurationFile file = FileOptions.read(arguments, terminal);
    FileOptions.warn(file, terminal);
    try (Remote remote = Remote.of(arguments, terminal)) {
      JsonNode plan = PlanText.send(remote, arguments, terminal, file);
      terminal.out().println(terminal.json() ? plan.toString() : PlanText.show(plan));
      return plan.path("changes").isEmpty() ? Cli.OK : DIFFERS;
    }
  }
}
