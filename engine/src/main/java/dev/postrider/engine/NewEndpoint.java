package dev.postrider.engine;

import java.net.URI;
import java.util.List;

/**
 * An endpoint to be created.
 *
 * @param eventTypes names, or prefixes such as {@code invoice.*}; empty means all
 */
public record NewEndpoint(URI url, String description, List<String> eventTypes) {
  public NewEndpoint {
    eventTypes = List.copyOf(eventTypes);
  }

  /** Receives every message of its application. */
  public static NewEndpoint of(URI url) {
    return new NewEndpoint(url, "", List.of());
  }

  public NewEndpoint withEventTypes(String... names) {
    return new NewEndpoint(url, description, List.of(names));
  }
}
