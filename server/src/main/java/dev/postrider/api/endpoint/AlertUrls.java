package dev.postrider.api.endpoint;

import dev.postrider.alert.Alerts;
import dev.postrider.api.http.Call;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.key.ApiKey;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Masks the URLs of alert targets. The path of such a URL is often a credential, as in Slack and
 * Discord, so read-only keys see the scheme and the host only, and so does everyone if secrets are
 * hidden.
 */
public final class AlertUrls {
  private static final String MASK = "***";
  private static final Pattern SCHEME_AND_HOST =
      Pattern.compile("(?<scheme>https?://)(?:[^/?#@]*@)?(?<host>[^/?#@]+)");

  private AlertUrls() {}

  /** The URL of a target of these alerts as the caller may see it. */
  public static String shown(Call call, Application application, String url) {
    return shown(call, application.spec().uid(), application.hidesSecrets(), url);
  }

  /**
   * A URL of any application: only those of the alerts' application are masked.
   *
   * @param application its uid; null if it has none
   * @param hidden whether the application hides its secrets
   */
  public static String shown(Call call, @Nullable String application, boolean hidden, String url) {
    boolean secret = Alerts.APPLICATION.equals(application);
    return secret && (hidden || call.key().role() == ApiKey.Role.READ_ONLY) ? masked(url) : url;
  }

  public static Endpoint shown(Call call, Application application, Endpoint endpoint) {
    String url = shown(call, application, endpoint.spec().get(EndpointFields.URL));
    return new Endpoint(
        endpoint.id(),
        endpoint.applicationId(),
        endpoint.spec().with(EndpointFields.URL, url),
        endpoint.disabledReason(),
        endpoint.disabledAt(),
        endpoint.version(),
        endpoint.createdAt(),
        endpoint.updatedAt());
  }

  private static String masked(String url) {
    Matcher parts = SCHEME_AND_HOST.matcher(url);
    return parts.lookingAt() ? parts.group("scheme") + parts.group("host") + "/" + MASK : MASK;
  }
}
