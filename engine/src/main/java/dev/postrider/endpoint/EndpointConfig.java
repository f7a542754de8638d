package dev.postrider.endpoint;

import dev.postrider.id.Id;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SigningKey;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a send needs of an endpoint, as it is at that moment (engine rule 19).
 *
 * @param version of the endpoint; what is cached is keyed by it
 * @param headers the custom headers with their values readable, in the caller's spelling
 * @param keys the live signing keys, the newest first
 * @param routed the application has or had agent routes, so deliveries may name one
 * @param retryPolicies the schedules as texts
 */
public record EndpointConfig(
    Id applicationId,
    Id endpointId,
    String environmentId,
    int version,
    String url,
    String method,
    @Nullable Integer timeoutMs,
    @Nullable Integer maxInFlight,
    @Nullable Integer throttleRate,
    Map<String, String> headers,
    List<SigningKey> keys,
    SignatureScheme scheme,
    RetryPolicies retryPolicies,
    boolean pauseOnDeadLetter,
    @Nullable String filter,
    @Nullable String transform,
    List<String> forwardHeaders,
    boolean routed,
    boolean applicationActive,
    boolean disabled,
    boolean deleted) {

  /** Null where nothing is set. */
  public record RetryPolicies(
      @Nullable String endpoint, @Nullable String application, @Nullable String environment) {}

  /** Whether what is sent may be other than what was accepted. */
  public boolean shaped() {
    return filter != null || transform != null || routed || !forwardHeaders.isEmpty();
  }

  /** Without header values. */
  @Override
  public String toString() {
    return "EndpointConfig[" + endpointId + " version " + version + "]";
  }
}
