package dev.postrider.cli.command;

import dev.postrider.cli.option.FileSettings;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ServeAction;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.config.Setting;
import dev.postrider.config.Settings;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code postrider serve}: reads the settings and runs the action that the composition root
 * provides.
 */
public final class ServeCommand implements Command {
  private final ServeAction action;

  public ServeCommand(ServeAction action) {
    this.action = action;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("serve");
    for (Setting<?> setting : Settings.all()) {
      spec.addOption(option(setting));
    }
    spec.usageMessage()
        .abbreviateSynopsis(true)
        .sortOptions(false)
        .description(
            "Starts the server. Each flag is also an environment variable; postrider help config"
                + " lists them all.")
        .footer(
            "",
            "Examples:",
            "  postrider serve",
            "  postrider serve --port 9090 --data-dir /var/lib/postrider",
            "  POSTRIDER_DATABASE_URL=postgres://user:password@host/db postrider serve --role api");
    return spec;
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    return action.run(FileSettings.config(terminal.environment(), flags(arguments)));
  }

  private static OptionSpec option(Setting<?> setting) {
    OptionSpec.Builder option =
        OptionSpec.builder(setting.flag())
            .type(String.class)
            .paramLabel("VALUE")
            // The text goes through String.format, where a bare percent sign is an error.
            .description(description(setting).replace("%", "%%"));
    if (setting.isSwitch()) {
      option.arity("0..1").fallbackValue("true");
    }
    return option.build();
  }

  private static String description(Setting<?> setting) {
    String shown = setting.defaultText();
    return setting.description() + (shown.isEmpty() ? "" : " Default: " + shown);
  }

  private static Map<String, String> flags(ParseResult arguments) {
    Map<String, String> flags = new LinkedHashMap<>();
    for (OptionSpec option : arguments.matchedOptions()) {
      if (!option.inherited() && option.getValue() instanceof String text) {
        flags.put(option.longestName(), text);
      }
    }
    return flags;
  }
}
