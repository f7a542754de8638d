package dev.postrider.api.http;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Routes of the Svix API that this server does not implement. They return 501, so that clients do
 * not confuse them with an unknown id; {@code docs/reference/svix-compatibility.md} lists them.
 */
final class UnimplementedRoutes {
  private static final List<Pattern> PATHS =
      List.of(
          Pattern.compile("/ingest/api/v1/source/[^/]+/dashboard"),
          Pattern.compile("/api/v1/(management|connector|stream|ingest|stats|environment)(/.*)?"),
          Pattern.compile(
              "/api/v1/auth/(whoami|one-time-token|stream-portal-access|stream-logout"
                  + "|stream|dashboard|app/[^/]+/(mcp-token|create-message-token)|org-group-admin-token)(/.*)?"),
          Pattern.compile("/ingest/.*"),
          Pattern.compile("/api/v1/(events|admin/redrive-dlq)"),
          Pattern.compile("/api/v1/event-type/[^/]+/retry-schedule"),
          Pattern.compile(
              "/api/v1/app/[^/]+/(destination|stream|inbound|auto-?config|stats|alert-email"
                  + "|events)(/.*)?"),
          Pattern.compile(
              "/api/v1/app/[^/]+/endpoint/[^/]+/(connector|cancel-msgs|transformation/simulate|oauth|oauth-config"
                  + "|ca|mtls|mtls-config|rate-limit-status|auto-config|msg/test-attempt)(/.*)?"),
          Pattern.compile("/api/v1/app/[^/]+/msg/search"));

  private UnimplementedRoutes() {}

  static boolean covers(String rawPath) {
    String path = rawPath.endsWith("/") ? rawPath.substring(0, rawPath.length() - 1) : rawPath;
    return PATHS.stream().anyMatch(pattern -> pattern.matcher(path).matches())
        && Arrays.stream(path.substring(1).split("/"))
            .allMatch(segment -> PathText.decode(segment) != null);
  }
}
