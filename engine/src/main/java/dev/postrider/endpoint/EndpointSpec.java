package dev.postrider.endpoint;

import dev.postrider.tenant.Grant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a caller decides about an endpoint, but for its headers and secrets, which are sealed.
 *
 * @param uid the caller's own name for it, unique in the application
 * @param subscriptions event types, prefixes such as {@code invoice.*}; none means all
 * @param channels none means all
 * @param shownVersion the caller's own number for it, which has no effect
 * @param paused new and queued deliveries wait
 * @param ordered one in flight at a time, in the order of acceptance or of the time that was asked
 *     for
 * @param pauseOnDeadLetter an ordered endpoint stops at a delivery that is given up
 * @param signatureScheme as {@code SignatureScheme} encodes it; null means the default one
 * @param forwardHeaders as {@link ForwardedHeaders} has them
 * @param retryPolicy a schedule such as {@code 5s,30s}; null means the application's
 */
public record EndpointSpec(
    @Nullable String uid,
    String url,
    String method,
    String description,
    Map<String, String> metadata,
    List<String> subscriptions,
    List<String> channels,
    boolean disabled,
    boolean paused,
    boolean ordered,
    boolean pauseOnDeadLetter,
    int shownVersion,
    @Nullable Integer throttleRate,
    @Nullable Integer timeoutMs,
    @Nullable Integer maxInFlight,
    @Nullable Integer initialDelayMs,
    @Nullable String signatureScheme,
    @Nullable String retryPolicy,
    @Nullable String filter,
    @Nullable String transform,
    List<String> forwardHeaders,
    boolean useApplicationSecret) {

  /** An endpoint that gets everything. */
  public static EndpointSpec of(String url) {
    return new EndpointSpec(
        null, url, "POST", "", Map.of(), List.of(), List.of(), false, false, false, false, 1, null,
        null, null, null, null, null, null, null, List.of(), false);
  }

  /** What the application has to be granted for it. */
  public Grant neededGrant() {
    return new Grant(maxInFlight, timeoutMs, ordered);
  }

  public EndpointEdit edit() {
    return new EndpointEdit(this);
  }
}
