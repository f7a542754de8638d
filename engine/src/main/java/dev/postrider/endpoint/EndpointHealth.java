package dev.postrider.endpoint;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The health of an endpoint, from its row {@code e} and that of its lane {@code l}. The first value
 * whose condition is true applies.
 */
public enum EndpointHealth {
  DISABLED("e.disabled"),
  /** The circuit is open or half-open: deliveries wait. */
  UNHEALTHY("l.circuit <> " + EndpointStore.CIRCUIT_CLOSED),
  /**
   * The circuit is closed, but the newest attempt failed, or the endpoint gets fewer requests after
   * it asked for that. The condition is that of the index lanes_noisy.
   */
  DEGRADED(
      "(l.circuit <> "
          + EndpointStore.CIRCUIT_CLOSED
          + " OR l.failures > 0 OR l.reduced_cap > 0 OR l.failing_since > 0)"),
  HEALTHY("true");

  /** An SQL expression for the text of the value that applies. */
  public static final String SQL =
      Arrays.stream(values())
          .map(health -> "WHEN " + health.condition + " THEN '" + health.text() + "'")
          .collect(Collectors.joining(" ", "CASE ", " END"));

  public static final List<String> TEXTS =
      Arrays.stream(values()).map(EndpointHealth::text).toList();

  private final String condition;

  EndpointHealth(String condition) {
    this.condition = condition;
  }

  /** As the API shows it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static EndpointHealth of(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT));
  }

  /** The condition for endpoints to which exactly this value applies. */
  String filter() {
    return Arrays.stream(values())
        .takeWhile(earlier -> earlier != this)
        .map(earlier -> " AND (" + earlier.condition + ") IS NOT TRUE")
        .collect(Collectors.joining("", condition, ""));
  }
}
