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

/** {@code postrider apply}: makes the running server as the file wants it. */
public final class ApplyCommand implements Command {
  @Override
  public CommandSpec spec() {
    CommandSpec spec = PlanText.options("apply");
    spec.usageMessage()
        .description(
            "Makes the running server as the configuration file wants it: all or nothing, without a"
                + " restart. What was made by other means is left alone.")
        .footer(
            "",
            "Examples:",
            "  postrider apply",
            "  postrider apply --config deploy/postrider.yaml --env production",
            "",
            "Exit codes: 0 done, 1 no answer, 2 the file is refused and nothing has changed.");
    return spec;
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    ConfigurationFile file = FileOptions.read(arguments, terminal);
    FileOptions.warn(file, terminal);
    try (Remote remote = Remote.of(arguments, terminal)) {
      JsonNode plan = PlanText.send(remote, arguments, terminal, file);
      terminal
          .out()
          .println(
              terminal.json()
                  ? plan.toString()
                  : PlanText.show(plan)
                      + (plan.path("changes").isEmpty() ? "" : " All is applied."));
      return Cli.OK;
    }
  }
}
