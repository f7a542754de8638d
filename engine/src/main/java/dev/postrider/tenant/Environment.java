package dev.postrider.tenant;

import java.time.Instant;

/**
 * An isolated environment with its own keys, event types and applications. Its id is a text,
 * because imported ids are arbitrary.
 */
public record Environment(
    String id, String name, String settings, int version, Instant createdAt, Instant updatedAt) {
  /** The environment that exists from the first start. */
  public static final String DEFAULT_ID = "env_default";

  public EnvironmentSpec spec() {
    return new EnvironmentSpec(name, EnvironmentSettings.decode(settings));
  }
}
