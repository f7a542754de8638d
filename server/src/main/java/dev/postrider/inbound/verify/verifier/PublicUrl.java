package dev.postrider.inbound.verify.verifier;

import dev.postrider.inbound.request.InboundRequest;
import org.jspecify.annotations.Nullable;

/** The URL that a provider signed, for the schemes that sign it. */
public final class PublicUrl {
  private PublicUrl() {}

  /**
   * The URL of the request, or the configured one (as registered at the provider) with the query of
   * the request: behind a proxy only the owner knows the URL that the provider calls.
   */
  public static String of(InboundRequest request, @Nullable String configured) {
    if (configured == null) {
      return request.url();
    }
    String query = request.query();
    return configured.indexOf('?') >= 0 || query.isEmpty() ? configured : configured + '?' + query;
  }

  /** Throws unless it is a complete http or https URL. */
  public static @Nullable String check(@Nullable String url) {
    if (url != null && !url.matches("https?://[^/\\s#]+[^\\s#]*")) {
      throw SchemeOptions.refused(
          "url", "must be the complete URL as configured at the provider, https://…");
    }
    return url;
  }
}
