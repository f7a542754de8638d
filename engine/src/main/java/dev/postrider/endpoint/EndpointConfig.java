package dev.postrider.endpoint;

import dev.postrider.id.Id;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SigningKey;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a send needs of an endpoint, as it is at that moment (engine rule 19). Values are copied out
 * of the endpoint's fields once, when it is loaded.
 *
 * @param version of the endpoint; what is cached is keyed by it
 * @param retryPolicies the schedules as texts
 */
public record EndpointConfig(
    Id applicationId,
    Id endpointId,
    String environmentId,
    int version,
    Request request,
    Signing signing,
    Shape shape,
    RetryPolicies retryPolicies,
    @Nullable Integer maxInFlight,
    boolean disabled,
    boolean deleted) {

  /**
   * @param headers the custom headers with their values readable, in the caller's spelling
   */
  public record Request(
      String url, String method, @Nullable Integer timeoutMs, Map<String, String> headers) {
    /** Without header values. */
    @Override
    public String toString() {
      return method + " " + url;
    }
  }

  /**
   * @param keys the live signing keys, the newest first
   */
  public record Signing(SignatureScheme scheme, List<SigningKey> keys) {}

  /**
   * How the request is made of the message.
   *
   * @param routed the application has or had agent routes, so deliveries may name one
   */
  public record Shape(
      @Nullable String filter,
      @Nullable String transform,
      List<String> forwardHeaders,
      boolean routed) {}

  /** Null where nothing is set. */
  public record RetryPolicies(
      @Nullable String endpoint, @Nullable String application, @Nullable String environment) {}

  /** Whether what is sent may be other than what was accepted. */
  public boolean shaped() {
    return shape.filter() != null
        || shape.transform() != null
        || shape.routed()
        || !shape.forwardHeaders().isEmpty();
  }

  /** The same with what is sealed in the database. */
  EndpointConfig with(Map<String, String> headers, List<SigningKey> keys) {
    return new EndpointConfig(
        applicationId,
        endpointId,
        environmentId,
        version,
        new Request(request.url(), request.method(), request.timeoutMs(), headers),
        new Signing(signing.scheme(), keys),
        shape,
        retryPolicies,
        maxInFlight,
        disabled,
        deleted);
  }

  /** Without header values. */
  @Override
  public String toString() {
    return "EndpointConfig[" + endpointId + " version " + version + "]";
  }
}
