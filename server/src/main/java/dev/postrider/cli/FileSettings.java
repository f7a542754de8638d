package dev.postrider.cli;

import dev.postrider.config.Config;
import dev.postrider.config.FileConfig;
import dev.postrider.file.ConfigurationFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The server's config, with what the configuration file's section {@code settings} says. */
final class FileSettings {
  private FileSettings() {}

  static Config config(Map<String, String> environment, Map<String, String> flags) {
    String named = chosen(FileOptions.CONFIG, FileOptions.CONFIG_VARIABLE, environment, flags);
    // Without a file nothing of the parser is loaded: most starts have none.
    if (named == null && Files.notExists(FileConfig.DEFAULT)) {
      return Config.of(environment, flags);
    }
    Path file = named == null ? FileConfig.DEFAULT : Path.of(named);
    Map<String, String> given = new HashMap<>(flags);
    given.put(FileOptions.CONFIG, file.toString());
    String overlay = chosen(FileOptions.ENV, FileOptions.ENV_VARIABLE, environment, flags);
    Map<String, String> settings =
        ConfigurationFile.read(file, overlay, environment).document().settings();
    return Config.of(environment, given, settings);
  }

  private static @Nullable String chosen(
      String flag, String variable, Map<String, String> environment, Map<String, String> flags) {
    String given = flags.getOrDefault(flag, "").strip();
    String text = given.isEmpty() ? environment.getOrDefault(variable, "").strip() : given;
    return text.isEmpty() ? null : text;
  }
}
