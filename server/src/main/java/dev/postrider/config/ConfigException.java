package dev.postrider.config;

import java.util.List;

/**
 * The settings are not valid. Each problem names its key and the fix; no problem contains a secret.
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
