package dev.postrider.inbound.verify.provider;

import dev.postrider.inbound.request.FormFields;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Decides which URLs in a message from SNS may be fetched. */
public final class SnsUrls {
  private static final Pattern HOST =
      Pattern.compile("sns\\.[a-z0-9-]{1,32}\\.amazonaws\\.com(\\.cn)?");
  private static final Pattern CERTIFICATE =
      Pattern.compile("/SimpleNotificationService-[0-9a-zA-Z]{1,64}\\.pem");

  /** Subjects of SNS's own certificates. */
  private static final Pattern SUBJECT =
      Pattern.compile("sns(\\.[a-z0-9-]{1,32})?\\.amazonaws\\.com(\\.cn)?");

  private static final Pattern ISSUER_HOST =
      Pattern.compile("([a-z0-9-]{1,32}\\.){1,3}(amazontrust|digicert)\\.(com|cn)");

  private SnsUrls() {}

  /** Null if it is not a certificate URL of SNS. */
  static @Nullable URI certificate(String text) {
    URI url = ours(text);
    return url != null && url.getRawQuery() == null && CERTIFICATE.matcher(url.getPath()).matches()
        ? url
        : null;
  }

  /** Null if it does not confirm a subscription at SNS. */
  public static @Nullable URI confirmation(String text) {
    return confirming(ours(text));
  }

  /**
   * Null if it does not confirm a subscription at the stand-in.
   *
   * @param standIn the URL of the stand-in
   */
  public static @Nullable URI confirmation(String text, URI standIn) {
    URI url = parse(text);
    boolean same =
        url != null
            && standIn.getScheme().equals(url.getScheme())
            && standIn.getRawAuthority().equals(url.getRawAuthority());
    return confirming(same ? url : null);
  }

  /**
   * The URL of a stand-in.
   *
   * @throws IllegalArgumentException if it is not one
   */
  public static URI standIn(String text) {
    URI url = parse(text);
    if (url == null
        || !("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
        || url.getHost() == null
        || url.getRawUserInfo() != null
        || url.getRawQuery() != null
        || url.getRawFragment() != null
        || !url.getPath().matches("/?")) {
      throw new IllegalArgumentException(
          "must be the URL of the stand-in without a path, such as http://localhost:4566");
    }
    return url;
  }

  private static @Nullable URI confirming(@Nullable URI url) {
    FormFields query =
        url == null || url.getRawQuery() == null ? null : FormFields.parse(url.getRawQuery());
    return query != null && "ConfirmSubscription".equals(query.first("Action")) ? url : null;
  }

  /** Where an issuer publishes its certificate; only plain file names of known issuers. */
  static @Nullable URI issuer(String text) {
    URI url = parse(text);
    if (url == null || url.getHost() == null || url.getPort() != -1 || url.getRawQuery() != null) {
      return null;
    }
    boolean web = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
    return web && url.getRawUserInfo() == null && ISSUER_HOST.matcher(url.getHost()).matches()
        ? url
        : null;
  }

  static boolean isSubject(String name) {
    return SUBJECT.matcher(name).matches();
  }

  private static @Nullable URI ours(String text) {
    URI url = parse(text);
    return url != null
            && "https".equals(url.getScheme())
            && url.getRawUserInfo() == null
            && (url.getPort() == -1 || url.getPort() == 443)
            && url.getHost() != null
            && HOST.matcher(url.getHost()).matches()
        ? url
        : null;
  }

  private static @Nullable URI parse(String text) {
    try {
      return text.length() > 2_048 ? null : new URI(text);
    } catch (URISyntaxException _) {
      return null;
    }
  }
}
