package dev.postrider.cli.option;

import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.Config;
import dev.postrider.config.FileConfig;
import dev.postrider.config.FileLocation;
import dev.postrider.configfile.ConfigurationFile;
import dev.postrider.configfile.ConfigurationText;
import dev.postrider.configfile.FileProblem;
import dev.postrider.configfile.VariableFile;
import dev.postrider.configfile.remote.RemoteText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Finds the configuration file of a command: from a flag, a variable, or in the current folder. */
public final class FileOptions {
  public static final String CONFIG = "--config";
  static final String ENV = "--env";
  public static final String CONFIG_VARIABLE = "POSTRIDER_CONFIG";
  static final String ENV_VARIABLE = "POSTRIDER_ENV";

  private FileOptions() {}

  public static CommandSpec addTo(CommandSpec spec) {
    return spec.addOption(
            OptionSpec.builder(CONFIG)
                .type(String.class)
                .paramLabel("FILE")
                .description(
                    "The configuration file, or an https://, http:// or s3:// URL of it. Default: "
                        + CONFIG_VARIABLE
                        + ", else ./postrider.yaml")
                .build())
        .addOption(
            OptionSpec.builder(ENV)
                .type(String.class)
                .paramLabel("NAME")
                .description(
                    "Merges postrider.NAME.yaml into postrider.yaml; its values take precedence."
                        + " Variables that are not set are read from .env.NAME. Default: "
                        + ENV_VARIABLE)
                .build());
  }

  /** Where the file is that the command names. */
  public static FileLocation location(ParseResult arguments, Terminal terminal) {
    String name = chosen(arguments, CONFIG, CONFIG_VARIABLE, terminal.environment());
    return FileConfig.location(name == null ? ConfigurationFile.DEFAULT_NAME : name);
  }

  public static ConfigurationFile read(ParseResult arguments, Terminal terminal) {
    return ConfigurationFile.read(text(arguments, terminal), terminal.environment());
  }

  /**
   * The settings of the server on this machine, as {@code serve} reads them: also from the section
   * {@code settings} of its configuration file. The other sections are not read.
   */
  public static Config settings(ParseResult arguments, Terminal terminal) {
    return FileSettings.ofSection(terminal.environment(), flags(arguments));
  }

  private static Map<String, String> flags(ParseResult arguments) {
    Map<String, String> flags = new HashMap<>();
    for (String flag : List.of(CONFIG, ENV)) {
      String given = arguments.matchedOptionValue(flag, "");
      if (!given.isBlank()) {
        flags.put(flag, given);
      }
    }
    return flags;
  }

  /** The file and its overlay; throws if there is none. */
  public static ConfigurationText text(ParseResult arguments, Terminal terminal) {
    String overlay = chosen(arguments, ENV, ENV_VARIABLE, terminal.environment());
    return switch (location(arguments, terminal)) {
      case FileLocation.Local(Path file) -> ConfigurationText.ofFile(existing(file), overlay);
      case FileLocation.Remote remote ->
          RemoteText.fetch(
              FileConfig.of(
                  VariableFile.under(terminal.environment(), null, overlay), flags(arguments)),
              remote);
    };
  }

  private static Path existing(Path file) {
    if (Files.notExists(file)) {
      throw new UserError(
          "File not found: %s. Create it with postrider init, or give its path with --config or %s."
              .formatted(file, CONFIG_VARIABLE));
    }
    return file;
  }

  /** Prints warnings to stderr, so that they do not mix with the output. */
  public static void warn(ConfigurationFile file, Terminal terminal) {
    if (!terminal.json()) {
      file.warnings().forEach(warning -> terminal.err().println("postrider: warning: " + warning));
    }
  }

  public static List<String> warnings(ConfigurationFile file) {
    return file.warnings().stream().map(FileProblem::toString).toList();
  }

  private static @Nullable String chosen(
      ParseResult arguments, String flag, String variable, Map<String, String> environment) {
    String given = arguments.matchedOptionValue(flag, environment.getOrDefault(variable, ""));
    return given.isBlank() ? null : given;
  }
}
