package dev.postrider.config;

import dev.postrider.options.Secret;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/** The value types of settings that need their own parser, such as URLs. */
final class SettingValues {
  static final String URL_FORM = "an http:// or https:// URL without query";
  static final String API_KEY_FORM = "16 to 200 letters, digits, - _ . and nothing else";
  static final Pattern API_KEY = Pattern.compile("[A-Za-z0-9._-]{16,200}");
  static final String JWT_SECRET_FORM =
      "1 to 500 visible ASCII characters; use 32 or more random characters";
  static final Pattern JWT_SECRET = Pattern.compile("[!-~]{1,500}");
  static final String VISIBLE_FORM = "1 to 4096 visible ASCII characters";
  static final Pattern VISIBLE = Pattern.compile("[!-~]{1,4096}");
  static final String MASTER_KEY_FORM =
      "32 random bytes in base64, or the URI of a key in a key management service (aws-kms://,"
          + " gcp-kms:// or vault://)";
  private static final Pattern KMS_URI = Pattern.compile("(aws-kms|gcp-kms|vault)://[!-~]{1,500}");

  private static final int MASTER_KEY_BYTES = 32;
  private static final int MAX_RETRIES = 50;
  private static final Duration MAX_RETRY_DELAY = Duration.ofDays(30);
  private static final String SCHEDULE_FORM =
      "a comma-separated list of at most 50 durations up to 30d, or none";

  private SettingValues() {}

  static URI baseUrl(String text) {
    try {
      URI uri = new URI(text);
      String path = uri.getRawPath();
      // Links are made by appending a path, so the base never ends with a slash.
      return path != null && path.endsWith("/") ? new URI(text.replaceAll("/+$", "")) : uri;
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("must be " + URL_FORM + ".", e);
    }
  }

  static void checkBaseUrl(URI uri) {
    boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    if (!web
        || uri.getHost() == null
        || uri.getRawUserInfo() != null
        || uri.getRawQuery() != null
        || uri.getRawFragment() != null) {
      throw new IllegalArgumentException("must be " + URL_FORM + ".");
    }
  }

  static ValueType<Secret> secret(String form, Pattern allowed) {
    return Types.explained(
        form,
        Secret::new,
        secret -> {
          if (!allowed.matcher(secret.reveal()).matches()) {
            throw new IllegalArgumentException("must be " + form + ".");
          }
        });
  }

  static boolean isKmsUri(Secret key) {
    return KMS_URI.matcher(key.reveal()).matches();
  }

  static void checkMasterKey(Secret key) {
    if (isKmsUri(key)) {
      return;
    }
    if (key.reveal().contains("://")) {
      throw new IllegalArgumentException(
          "uses an unknown key management service: use aws-kms://, gcp-kms:// or vault://.");
    }
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(key.reveal());
    } catch (IllegalArgumentException e) {
      // Without the cause: the decoder's message shows a piece of the key.
      throw new IllegalArgumentException(masterKeyMessage());
    }
    if (bytes.length != MASTER_KEY_BYTES) {
      throw new IllegalArgumentException(masterKeyMessage());
    }
  }

  private static String masterKeyMessage() {
    return "must be " + MASTER_KEY_FORM + ": create one with openssl rand -base64 32.";
  }

  static ValueType<List<Duration>> retrySchedule() {
    return Types.explained(
        SCHEDULE_FORM, SettingValues::parseSchedule, SettingValues::checkSchedule);
  }

  private static List<Duration> parseSchedule(String text) {
    if (text.equals("none")) {
      return List.of();
    }
    return Arrays.stream(text.split(",", -1))
        .map(String::strip)
        .map(Quantities::parseDuration)
        .toList();
  }

  private static void checkSchedule(List<Duration> delays) {
    boolean bounded =
        delays.size() <= MAX_RETRIES
            && delays.stream()
                .allMatch(delay -> !delay.isNegative() && delay.compareTo(MAX_RETRY_DELAY) <= 0);
    if (!bounded) {
      throw new IllegalArgumentException("must be " + SCHEDULE_FORM + ".");
    }
  }
}
