package dev.postrider.tenant.key;

import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The permissions of a portal token, with the names of Svix. */
public enum Capability {
  VIEW_BASE("ViewBase"),
  VIEW_ENDPOINT_SECRET("ViewEndpointSecret"),
  MANAGE_ENDPOINT_SECRET("ManageEndpointSecret"),
  MANAGE_TRANSFORMATIONS("ManageTransformations"),
  CREATE_ATTEMPTS("CreateAttempts"),
  MANAGE_ENDPOINT("ManageEndpoint");

  private final String text;

  Capability(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }

  public static @Nullable Capability named(String text) {
    return Arrays.stream(values())
        .filter(candidate -> candidate.text.equals(text))
        .findFirst()
        .orElse(null);
  }

  /** As stored in the column. */
  static String encode(Collection<Capability> capabilities) {
    return capabilities.stream().map(Capability::text).sorted().collect(Collectors.joining(","));
  }

  static Set<Capability> decode(String stored) {
    Set<Capability> capabilities = EnumSet.noneOf(Capability.class);
    for (String text : stored.split(",", -1)) {
      Capability known = named(text);
      if (known != null) {
        capabilities.add(known);
      }
    }
    return Set.copyOf(capabilities);
  }
}
