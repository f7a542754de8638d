package dev.postrider.endpoint;

import dev.postrider.field.FieldValues;
import dev.postrider.id.Id;
import dev.postrider.net.Cidr;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SigningKey;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of an endpoint that a send needs, read when the attempt starts (engine rule
 * 19).
 *
 * @param version the version of the endpoint, which is part of the cache key
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
   * URL, method, timeout and custom headers of a request.
   *
   * @param uid the caller's name of the endpoint; null if it has none
   * @param networks the networks that the addresses of the host must be in; empty for any
   * @param headers custom headers with decrypted values; names in the case that the caller wrote
   */
  public record Request(
      @Nullable String uid,
      String url,
      String method,
      @Nullable Integer timeoutMs,
      List<Cidr> networks,
      Map<String, String> headers) {
    /** Without header values. */
    @Override
    public String toString() {
      return method + " " + url;
    }
  }

  /**
   * How requests are signed.
   *
   * @param keys the active signing keys, newest first
   */
  public record Signing(SignatureScheme scheme, List<SigningKey> keys) {}

  /**
   * Filter, transform and forwarded headers: how a request is built from a message.
   *
   * @param routed the application has or had agent routes, so deliveries may name one
   */
  public record Shape(
      @Nullable String filter,
      @Nullable Transform transform,
      List<String> forwardHeaders,
      boolean routed) {}

  /**
   * The transform that an endpoint applies.
   *
   * @param expression in JSONata
   * @param sendsOriginalOnError whether a message for which it fails is sent without it
   */
  public record Transform(String expression, boolean sendsOriginalOnError) {

    /** That of an endpoint with these fields; null if it has none or it is switched off. */
    public static @Nullable Transform of(FieldValues endpoint) {
      String expression = endpoint.get(EndpointFields.TRANSFORM);
      return expression == null || !endpoint.get(EndpointFields.TRANSFORM_ENABLED)
          ? null
          : new Transform(
              expression, endpoint.get(EndpointFields.SEND_ORIGINAL_ON_TRANSFORM_ERROR));
    }
  }

  /** The retry schedules of three levels; null where a level has none. */
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
        new Request(
            request.uid(),
            request.url(),
            request.method(),
            request.timeoutMs(),
            request.networks(),
            headers),
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
