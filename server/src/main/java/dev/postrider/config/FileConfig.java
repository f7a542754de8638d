package dev.postrider.config;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The configuration file.
 *
 * @param path absent: no file; the command line names {@code ./postrider.yaml} if there is one
 * @param overlay name of the overlay, such as {@code staging}
 * @param variables environment variables that {@code ${…}} in the file may use
 */
public record FileConfig(
    Optional<Path> path, Optional<String> overlay, Map<String, String> variables) {
  public static final Path DEFAULT = Path.of("postrider.yaml");

  public FileConfig {
    variables = Map.copyOf(variables);
  }

  static FileConfig from(Values values, Map<String, String> environment) {
    return new FileConfig(
        values.get(ServerSettings.CONFIG), values.get(ServerSettings.ENV), environment);
  }

  public FileConfig withVariables(Map<String, String> others) {
    return new FileConfig(path, overlay, others);
  }

  /** The variables are not a setting; only the other fields are compared. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FileConfig that
        && path.equals(that.path)
        && overlay.equals(that.overlay);
  }

  @Override
  public int hashCode() {
    return Objects.hash(path, overlay);
  }

  /** Without the variables, some of which are secrets. */
  @Override
  public String toString() {
    return "FileConfig[" + path + ", " + overlay + "]";
  }
}
