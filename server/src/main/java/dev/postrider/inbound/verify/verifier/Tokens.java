package dev.postrider.inbound.verify.verifier;

import dev.postrider.inbound.request.InboundRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Verifies requests of providers that send the secret itself; they sign no part of the request. */
public final class Tokens {
  private Tokens() {}

  public static Verification compare(
      String place, @Nullable String value, List<SourceSecret> secrets) {
    if (value == null) {
      return Verification.missing(place);
    }
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    boolean found = false;
    for (SourceSecret secret : secrets) {
      found |= HmacScheme.same(secret.bytes(), bytes);
    }
    return found ? new Verification.Valid("token in " + place) : Verification.mismatch(place);
  }

  /** {@code Authorization: Bearer …}; case-insensitive, as HTTP defines. */
  static @Nullable String authorization(InboundRequest request, String word) {
    String value = request.header("authorization");
    boolean named =
        value != null
            && value.length() > word.length()
            && value.charAt(word.length()) == ' '
            && value.substring(0, word.length()).toLowerCase(Locale.ROOT).equals(word);
    return value != null && named ? value.substring(word.length() + 1).strip() : null;
  }

  /** HTTP basic authentication; the secret is {@code user:password}. */
  public record Basic() implements Verifier {
    @Override
    public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
      String encoded = authorization(request, "basic");
      if (encoded == null) {
        return Verification.missing("Authorization: Basic");
      }
      try {
        String pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
        return compare("Authorization: Basic", pair, secrets);
      } catch (IllegalArgumentException _) {
        return Verification.malformed("Authorization: Basic is not base64");
      }
    }

    @Override
    public void checkSecret(SourceSecret secret) {
      if (secret.text().indexOf(':') < 1) {
        throw new IllegalArgumentException("secret: must be user:password for the scheme basic");
      }
    }
  }

  /** The secret is in the header {@code Authorization: Bearer}. */
  public record Bearer() implements Verifier {
    @Override
    public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
      return compare("Authorization: Bearer", authorization(request, "bearer"), secrets);
    }
  }

  /** The secret is in a header after a prefix, or in a query parameter. */
  public record ApiKey(@Nullable String header, @Nullable String query, String prefix)
      implements Verifier {

    public static ApiKey fromOptions(SchemeOptions options) {
      String query = options.find("query");
      if (query != null && (options.find("header") != null || options.find("prefix") != null)) {
        throw SchemeOptions.refused(
            "query", "cannot be combined; use either header and prefix, or query");
      }
      String header = query == null ? options.text("header", "X-Api-Key") : null;
      return new ApiKey(header, query, options.text("prefix", ""));
    }

    @Override
    public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
      if (query != null) {
        return compare("query parameter " + query, request.queryParameter(query), secrets);
      }
      String name = header == null ? "X-Api-Key" : header;
      String value = request.header(name);
      if (value != null && !value.startsWith(prefix)) {
        return Verification.malformed(name + " does not start with the configured prefix");
      }
      return compare(name, value == null ? null : value.substring(prefix.length()), secrets);
    }
  }

  /** Accepts every request without verification. */
  public record None() implements Verifier {
    @Override
    public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
      return new Verification.NotAsked();
    }

    @Override
    public boolean needsSecret() {
      return false;
    }
  }
}
