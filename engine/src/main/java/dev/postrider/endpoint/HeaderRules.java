package dev.postrider.endpoint;

import dev.postrider.json.TextRule;
import dev.postrider.net.HeaderNames;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rules for custom headers of an endpoint: which names and values are allowed, and which values are
 * secret and are not returned by the API.
 */
public final class HeaderRules {
  public static final int MAX_HEADERS = 50;
  public static final int MAX_NAME_LENGTH = 128;
  public static final int MAX_VALUE_LENGTH = 1_024;

  /** What is wrong with a name or value that has this length, {@link #problem} says. */
  public static final TextRule NAME_RULE = TextRule.of(1, MAX_NAME_LENGTH);

  public static final TextRule VALUE_RULE = TextRule.upTo(MAX_VALUE_LENGTH);

  /** Replaces a secret value. */
  public static final String MASK = "***";

  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1," + MAX_NAME_LENGTH + "}");

  /** Set by the sender itself, or of one connection only (hop by hop). */
  private static final Set<String> REFUSED =
      Set.of(
          "host",
          "content-length",
          "transfer-encoding",
          "connection",
          "keep-alive",
          "te",
          "trailer",
          "upgrade",
          "expect",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection");

  private static final List<String> REFUSED_BEGINNINGS =
      List.of("webhook-", "svix-", "x-svix-", "x-amzn-", "postrider-");

  private HeaderRules() {}

  /** What is wrong with the header, with the fix; null if nothing is. Never repeats the value. */
  public static @Nullable String problem(String name, String value) {
    if (!NAME.matcher(name).matches()) {
      return "a header name must have 1 to "
          + MAX_NAME_LENGTH
          + " letters, digits and - _ . ~ ! # $ % & ' * + ^ ` |";
    }
    String lower = name.toLowerCase(Locale.ROOT);
    if (REFUSED.contains(lower) || REFUSED_BEGINNINGS.stream().anyMatch(lower::startsWith)) {
      return "this header is set by Postrider or by the HTTP connection; choose another name";
    }
    if (value.length() > MAX_VALUE_LENGTH) {
      return "a header value may have at most " + MAX_VALUE_LENGTH + " characters";
    }
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if ((c < ' ' && c != '\t') || c > '~') {
        return "a header value may contain only visible ASCII characters, spaces and tabs; no line"
            + " breaks";
      }
    }
    return null;
  }

  /** Whether the value is never shown again. Any header may hold a secret, whatever its name. */
  public static boolean sensitive(String name) {
    return !HeaderNames.isHarmless(name);
  }
}
