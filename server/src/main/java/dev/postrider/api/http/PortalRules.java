package dev.postrider.api.http;

import dev.postrider.tenant.key.Capability;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Determines which capability a portal token needs for a route; routes without one are forbidden.
 */
final class PortalRules {
  private static final Set<String> SENDS_AGAIN =
      Set.of(
          "resend",
          "recover",
          "redrive",
          "replay",
          "replay-missing",
          "bulk-replay",
          "send-example",
          "test",
          "retry");

  private PortalRules() {}

  static void refuseIfBeyond(Set<Capability> capabilities, Router.Route route) {
    Capability needed = needed(route);
    if (needed == null) {
      throw ApiError.forbidden("a portal token cannot be used for this request; use an API key");
    }
    if (!capabilities.contains(needed)) {
      throw ApiError.forbidden("this token does not have the capability " + needed.text());
    }
  }

  private static @Nullable Capability needed(Router.Route route) {
    String path = route.path();
    if (path.startsWith("/api/v1/app/{application}/integration")) {
      return null; // a portal token must not create or read keys
    }
    String last = path.substring(path.lastIndexOf('/') + 1);
    if (route.method().equals("GET")) {
      return route.has(RouteAttribute.RETURNS_SECRET)
          ? Capability.VIEW_ENDPOINT_SECRET
          : Capability.VIEW_BASE;
    }
    if (path.endsWith("/secret/rotate")) {
      return Capability.MANAGE_ENDPOINT_SECRET;
    }
    if (SENDS_AGAIN.contains(last)) {
      return Capability.CREATE_ATTEMPTS;
    }
    if (last.equals("transformation")) {
      return Capability.MANAGE_TRANSFORMATIONS;
    }
    return path.startsWith("/api/v1/app/{application}/endpoint")
        ? Capability.MANAGE_ENDPOINT
        : null;
  }
}
