package dev.postrider.cli.command;

import dev.postrider.cli.option.FileOptions;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.JsonOutput;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.config.Config;
import dev.postrider.configfile.BadFile;
import dev.postrider.configfile.ConfigurationFile;
import dev.postrider.configfile.ConfigurationText;
import dev.postrider.configfile.FileJsonSchema;
import dev.postrider.configfile.FileProblem;
import dev.postrider.configfile.VariableFile;
import dev.postrider.configfile.url.KnownUrls;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code postrider validate}: validates the configuration file without a server. */
public final class ValidateCommand implements Command {
  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        FileOptions.addTo(CommandSpec.create().name("validate"))
            .addOption(
                OptionSpec.builder("--schema")
                    .type(boolean.class)
                    .description("Prints the JSON Schema of the configuration file, for editors.")
                    .build())
            .addOption(
                OptionSpec.builder("--strict")
                    .type(boolean.class)
                    .description("Reports variables that are not set as errors.")
                    .build());
    spec.usageMessage()
        .description(
            "Validates the configuration file without a server and without DNS lookups, with the"
                + " rules of a server that has the same settings. Every error is reported with its"
                + " line and a fix. Variables that are not set are listed with their lines, and are"
                + " not errors: a server needs them, this command does not.")
        .footer(
            "",
            "Examples:",
            "  postrider validate",
            "  postrider validate --config deploy/postrider.yaml --env staging",
            "  postrider validate --strict",
            "  postrider validate --schema > postrider.schema.json",
            "",
            "Exit codes: 0 the file is valid, 2 it has errors.");
    return spec;
  }

  private static KnownUrls urls(Config config) {
    return new KnownUrls(config.security(), Remote.address(config.server()) + "/echo");
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    if (arguments.matchedOptionValue("--schema", false)) {
      terminal.out().print(FileJsonSchema.text());
      return ExitCode.OK;
    }
    ConfigurationText text = FileOptions.text(arguments, terminal);
    Map<String, String> environment =
        VariableFile.under(terminal.environment(), text.folder(), text.environment());
    ConfigurationFile file =
        ConfigurationFile.readFor(
            settings -> urls(Config.of(environment, Map.of(), settings)), text, environment);
    if (arguments.matchedOptionValue("--strict", false) && !file.unset().isEmpty()) {
      throw new BadFile(file.unset());
    }
    FileOptions.warn(file, terminal);
    if (!terminal.json()) {
      file.unset().forEach(variable -> terminal.err().println("postrider: warning: " + variable));
    }
    Map<String, Integer> counts = file.counts();
    if (terminal.json()) {
      Map<String, Object> answer = new LinkedHashMap<>();
      answer.put("valid", true);
      answer.put("sections", counts);
      answer.put("warnings", FileOptions.warnings(file));
      answer.put("unset", file.unset().stream().map(FileProblem::toString).toList());
      terminal.out().println(JsonOutput.write(answer));
    } else {
      String content =
          counts.entrySet().stream()
              .map(each -> each.getKey() + " " + each.getValue())
              .collect(Collectors.joining(", "));
      terminal
          .out()
          .println(
              text.file().name()
                  + " is valid"
                  + (content.isEmpty() ? ", but empty" : ": " + content));
    }
    return ExitCode.OK;
  }
}
