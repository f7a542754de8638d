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

/** {@code postrider apply}: applies the configuration file to the running server. */
public final class ApplyCommand implements Command {
  @Override
  public CommandSpec spec() {
    CommandSpec spec = PlanText.options("apply");
    spec.usageMessage()
        .description(
            "Applies the configuration file to the running server in one transaction, without a"
                + " restart. Objects that were not created by the file are not changed.")
        .footer(
            "",
            "Examples:",
            "  postrider apply",
            "  postrider apply --config deploy/postrider.yaml --env production",
            "",
            "Exit codes: 0 applied, 1 the server did not respond, 2 the file has errors and"
                + " nothing was changed.");
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
                      + (plan.path("changes").isEmpty() ? "" : " All changes are applied."));
      return ExitCode.OK;
    }
  }
}
