package dev.postrider.cli.command;

import dev.postrider.cli.option.Version;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.JsonOutput;
import dev.postrider.cli.terminal.Terminal;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code postrider version}. */
public final class VersionCommand implements Command {
  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("version").aliases("--version");
    spec.usageMessage()
        .description("Prints the versions of Postrider and Java.")
        .footer("", "Examples:", "  postrider version", "  postrider version --json");
    return spec;
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String java = Runtime.version().toString();
    if (terminal.json()) {
      Map<String, Object> answer = new LinkedHashMap<>();
      answer.put("version", Version.current());
      answer.put("java", java);
      terminal.out().println(JsonOutput.write(answer));
    } else {
      terminal.out().println("postrider " + Version.current() + " (Java " + java + ")");
    }
    return ExitCode.OK;
  }
}
