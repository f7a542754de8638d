package dev.postrider.config;

import java.util.List;

/**
 * Thrown when settings are invalid. Each problem names the setting and the fix; none contains a
 * secret.
 */
public final class ConfigException extends RuntimeException {
  private final List<String> problems;

  public ConfigException(List<String> problems) {
    super(String.join("\n", problems));
    this.problems = List.copyOf(problems);
  }

  public ConfigException(String problem) {
    this(List.of(problem));
  }

  public List<String> problems() {
    return problems;
  }
}
