package dev.postrider.cli.command;

import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.JsonOutput;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.Setting;
import dev.postrider.config.Settings;
import dev.postrider.config.SettingsText;
import dev.postrider.text.Nearest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** {@code postrider help [config | command]}. */
public final class HelpCommand implements Command {
  private static final String CONFIG = "config";

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        CommandSpec.create()
            .name("help")
            .addPositional(
                PositionalParamSpec.builder()
                    .paramLabel("TOPIC")
                    .type(String.class)
                    .arity("0..1")
                    .description("config, or the name of a command.")
                    .build())
            .addOption(
                OptionSpec.builder("--markdown")
                    .type(boolean.class)
                    .description("Prints the settings as a Markdown document.")
                    .build());
    spec.usageMessage()
        .description("Explains a command, or lists every setting.")
        .footer("", "Examples:", "  postrider help serve", "  postrider help config");
    return spec;
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String topic = arguments.matchedPositionalValue(0, "");
    if (topic.equals(CONFIG)) {
      terminal.out().print(settings(arguments.matchedOptionValue("--markdown", false), terminal));
    } else {
      CommandLine root = arguments.commandSpec().parent().commandLine();
      command(root, topic).usage(terminal.out());
    }
    return ExitCode.OK;
  }

  private static CommandLine command(CommandLine root, String topic) {
    if (topic.isEmpty()) {
      return root;
    }
    @Nullable CommandLine named = root.getSubcommands().get(topic);
    if (named == null) {
      TreeSet<String> topics = new TreeSet<>(root.getSubcommands().keySet());
      topics.add(CONFIG);
      throw new UserError(
          "No help topic "
              + topic
              + "."
              + Nearest.to(topic, topics).map(near -> " Did you mean " + near + "?").orElse("")
              + " Topics: "
              + String.join(", ", topics));
    }
    return named;
  }

  private static String settings(boolean markdown, Terminal terminal) {
    if (terminal.json()) {
      return JsonOutput.write(Settings.all().stream().map(HelpCommand::describe).toList()) + "\n";
    }
    return markdown ? SettingsText.asMarkdown() : SettingsText.forTerminal();
  }

  private static Map<String, Object> describe(Setting<?> setting) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("variable", setting.variable());
    row.put("flag", setting.flag());
    row.put("section", setting.section().title());
    row.put("default", setting.defaultText());
    row.put("form", setting.form());
    row.put("example", setting.example());
    row.put("secret", setting.secret());
    row.put("description", setting.description());
    return row;
  }
}
