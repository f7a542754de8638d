package dev.postrider.signature;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Validates the header names of a signature scheme: they must be valid in HTTP and different from
 * the headers that every request has.
 */
final class HeaderName {
  static final int MAX_CHARACTERS = 128;

  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
  private static final Set<String> RESERVED =
      Set.of(
          "accept-encoding",
          "authorization",
          "connection",
          "content-encoding",
          "content-length",
          "content-type",
          "expect",
          "host",
          "keep-alive",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "user-agent");
  private static final List<String> RESERVED_PREFIXES =
      List.of("webhook-", "svix-", "postrider-", "proxy-");

  private HeaderName() {}

  static void check(String field, String name) {
    if (name.length() > MAX_CHARACTERS || !TOKEN.matcher(name).matches()) {
      throw new IllegalArgumentException(
          field
              + ": must be a header name of 1 to 128 letters, digits and hyphens, such as X-Example-Signature");
    }
    String lower = name.toLowerCase(Locale.ROOT);
    if (RESERVED.contains(lower) || RESERVED_PREFIXES.stream().anyMatch(lower::startsWith)) {
      throw new IllegalArgumentException(
          field + ": " + name + " is reserved by the request itself; choose another name");
    }
  }

  static void checkIfPresent(String field, @Nullable String name) {
    if (name != null) {
      check(field, name);
    }
  }

  static void checkDistinct(List<String> names) {
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name.toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException(
            "header: " + name + " is used twice; each header needs a different name");
      }
    }
  }
}
