package dev.postrider.cli.option;

import dev.postrider.config.Config;
import dev.postrider.config.FileConfig;
import dev.postrider.config.FileLocation;
import dev.postrider.configfile.ConfigurationFile;
import dev.postrider.configfile.ConfigurationText;
import dev.postrider.configfile.VariableFile;
import dev.postrider.configfile.remote.RemoteText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the settings of the server, including the section {@code settings} of the configuration
 * file.
 */
public final class FileSettings {
  private FileSettings() {}

  /**
   * For a check: the whole file must be valid, but its variables need not be set.
   *
   * @param file gets the file that was read, for its warnings and the variables that are not set
   */
  public static Config checked(
      Map<String, String> environment,
      Map<String, String> flags,
      Consumer<ConfigurationFile> file) {
    return config(
        environment,
        flags,
        text -> {
          ConfigurationFile read = ConfigurationFile.readWithUnset(text, environment);
          file.accept(read);
          return read.document().settings();
        },
        false);
  }

  /** For a server: the whole file must be valid. */
  public static Config config(Map<String, String> environment, Map<String, String> flags) {
    return config(
        environment,
        flags,
        text -> ConfigurationFile.read(text, environment).document().settings());
  }

  /** For a command that calls a server: only this section is read. */
  public static Config ofSection(Map<String, String> environment) {
    return ofSection(environment, Map.of());
  }

  public static Config ofSection(Map<String, String> environment, Map<String, String> flags) {
    return config(environment, flags, text -> ConfigurationFile.settings(text, environment));
  }

  /** Reads settings from a file. */
  @FunctionalInterface
  private interface Reader {
    Map<String, String> read(ConfigurationText text);
  }

  private static Config config(
      Map<String, String> environment, Map<String, String> flags, Reader reader) {
    return config(environment, flags, reader, true);
  }

  /**
   * @param copy whether a copy of an earlier version may take the place of a remote file
   */
  private static Config config(
      Map<String, String> environment, Map<String, String> flags, Reader reader, boolean copy) {
    String named = chosen(FileOptions.CONFIG, FileOptions.CONFIG_VARIABLE, environment, flags);
    String overlay = chosen(FileOptions.ENV, FileOptions.ENV_VARIABLE, environment, flags);
    // Without a file nothing of the parser is loaded: most starts have none.
    if (named == null && Files.notExists(FileConfig.DEFAULT)) {
      return Config.of(VariableFile.under(environment, null, overlay), flags);
    }
    String text = named == null ? FileConfig.DEFAULT.toString() : named;
    Map<String, String> given = new HashMap<>(flags);
    given.put(FileOptions.CONFIG, text);
    return switch (FileConfig.location(text)) {
      case FileLocation.Local(Path file) -> {
        Config config =
            Config.of(
                VariableFile.under(environment, file.getParent(), overlay),
                given,
                reader.read(ConfigurationText.ofFile(file, overlay)));
        // A reload reads the file of variables again.
        yield config.withFile(config.file().withVariables(environment));
      }
      case FileLocation.Remote location -> {
        Map<String, String> variables = VariableFile.under(environment, null, overlay);
        FileConfig file = FileConfig.of(variables, given);
        Map<String, String> settings =
            copy
                ? RemoteText.read(file, location, reader::read)
                : reader.read(RemoteText.fetch(file, location));
        // How the file is fetched does not depend on what it sets.
        yield Config.of(variables, given, settings).withFile(file.withVariables(environment));
      }
    };
  }

  private static @Nullable String chosen(
      String flag, String variable, Map<String, String> environment, Map<String, String> flags) {
    String given = flags.getOrDefault(flag, "").strip();
    String text = given.isEmpty() ? environment.getOrDefault(variable, "").strip() : given;
    return text.isEmpty() ? null : text;
  }
}
