package dev.postrider.cli.command;

import dev.postrider.cli.option.FileOptions;
import dev.postrider.cli.remote.PlanText;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.configfile.ConfigurationFile;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/** {@code postrider plan}: shows what applying the file would change. */
public final class PlanCommand implements Command {
  /** As in other tools: a difference is not an error, but has its own exit code for scripts. */
  static final int DIFFERS = 3;

  @Override
  public CommandSpec spec() {
    CommandSpec spec = PlanText.options("plan");
    spec.usageMessage()
        .description("Shows the differences between the configuration file and the running server.")
        .footer(
            "",
            "Examples:",
            "  postrider plan",
            "  postrider plan --env staging --server https://hooks.example.com",
            "",
            "Exit codes: 0 no changes, 3 there are changes, 1 the server did not respond, 2 the"
                + " file has errors.");
    return spec;
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    ConfigurationFile file = FileOptions.read(arguments, terminal);
    FileOptions.warn(file, terminal);
    try (Remote remote = Remote.of(arguments, terminal)) {
      JsonNode plan = PlanText.send(remote, arguments, terminal, file);
      terminal.out().println(terminal.json() ? plan.toString() : PlanText.show(plan));
      return plan.path("changes").isEmpty() ? ExitCode.OK : DIFFERS;
    }
  }
}
