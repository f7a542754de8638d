package dev.postrider.inbound;

import dev.postrider.inbound.verify.SchemeOptions;
import org.jspecify.annotations.Nullable;

/** The URL that a provider signed, for the schemes that sign it. */
public final class PublicUrl {
  private PublicUrl() {}

  /**
   * The request's own URL, or the configured one (as typed in at the provider) with the request's
   * query: behind a proxy only the owner knows what the provider calls.
   */
  public static String of(InboundRequest request, @Nullable String configured) {
    if (configured == null) {
      return request.url();
    }
    String query = request.query();
    return configured.indexOf('?') >= 0 || query.isEmpty() ? configured : configured + '?' + query;
  }

  /** Throws unless it is a whole http or https URL. */
  static @Nullable public String check(@Nullable String url) {
    if (url != null && !url.matches("https?://[^/\\s#]+[^\\s#]*")) {
      throw SchemeOptions.refused(
          "url", "must be the whole URL as typed in at the provider, https://…");
    }
    return url;
  }
}
