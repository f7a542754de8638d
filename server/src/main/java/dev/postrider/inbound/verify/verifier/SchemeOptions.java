package dev.postrider.inbound.verify.verifier;

import dev.postrider.config.Quantities;
import dev.postrider.text.Nearest;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The configured options of a scheme; every error contains the option and the fix. */
public final class SchemeOptions {
  private static final Duration MAX_TOLERANCE = Duration.ofDays(1);

  private final String scheme;
  private final Map<String, String> values;

  private SchemeOptions(String scheme, Map<String, String> values) {
    this.scheme = scheme;
    this.values = values;
  }

  public static SchemeOptions of(String scheme, Map<String, String> values, Set<String> known) {
    for (String name : values.keySet()) {
      if (!known.contains(name)) {
        String guess =
            Nearest.to(name, known).map(near -> " Did you mean " + near + "?").orElse("");
        throw new IllegalArgumentException(
            "option %s: the scheme %s does not have this option.%s Options: %s"
                .formatted(
                    name, scheme, guess, String.join(", ", known.stream().sorted().toList())));
      }
    }
    return new SchemeOptions(scheme, Map.copyOf(values));
  }

  String scheme() {
    return scheme;
  }

  public @Nullable String find(String name) {
    String value = values.get(name);
    return value == null || value.isBlank() ? null : value;
  }

  public String text(String name, String byDefault) {
    String value = find(name);
    return value == null ? byDefault : value;
  }

  public String required(String name, String example) {
    String value = find(name);
    if (value == null) {
      throw refused(name, "is required by the scheme " + scheme + ", for example " + example);
    }
    return value;
  }

  public List<String> list(String name) {
    String value = find(name);
    return value == null
        ? List.of()
        : Arrays.stream(value.split(",", -1)).map(String::strip).filter(s -> !s.isEmpty()).toList();
  }

  public Duration tolerance(Duration byDefault) {
    String value = find("tolerance");
    if (value == null) {
      return byDefault;
    }
    Duration tolerance = duration("tolerance", value);
    if (tolerance.isZero() || tolerance.compareTo(MAX_TOLERANCE) > 0) {
      throw refused("tolerance", "must be more than 0s and at most 1d");
    }
    return tolerance;
  }

  Duration duration(String name, Duration byDefault) {
    String value = find(name);
    return value == null ? byDefault : duration(name, value);
  }

  private static Duration duration(String name, String value) {
    try {
      return Quantities.parseDuration(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("option " + name + ": " + e.getMessage(), e);
    }
  }

  public boolean flag(String name, boolean byDefault) {
    return choice(name, byDefault ? "true" : "false", List.of("true", "false")).equals("true");
  }

  /** The value, which must be one of those. */
  public String choice(String name, String byDefault, List<String> known) {
    String value = text(name, byDefault);
    if (!known.contains(value)) {
      String guess = Nearest.to(value, known).map(near -> " Did you mean " + near + "?").orElse("");
      throw refused(
          name, "must be one of " + String.join(", ", known) + ", not " + value + "." + guess);
    }
    return value;
  }

  public static IllegalArgumentException refused(String name, String text) {
    return new IllegalArgumentException("option " + name + ": " + text);
  }
}
