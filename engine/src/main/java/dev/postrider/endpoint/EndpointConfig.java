package dev.postrider.endpoint;

import dev.postrider.field.FieldValues;
import dev.postrider.field.HasFields;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SigningKey;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of an endpoint that a send needs, read when the attempt starts (engine rule
 * 19). A field is read with {@link #get}; those that every attempt reads are components, as a send
 * uses them.
 *
 * @param version the version of the endpoint, which is part of the cache key
 * @param values the fields of the endpoint that have a column
 * @param retryPolicies those that apply if the endpoint has none
 */
public record EndpointConfig(
    ApplicationId applicationId,
    EndpointId endpointId,
    String environmentId,
    int version,
    FieldValues values,
    Request request,
    Signing signing,
    Shape shape,
    RetryPolicies retryPolicies,
    boolean disabled,
    boolean deleted)
    implements HasFields {

  /**
   * What every request needs, within the grant of the application.
   *
   * @param headers custom headers with decrypted values; names in the case that the caller wrote
   */
  public record Request(
      String method,
      @Nullable Integer timeoutMs,
      @Nullable Integer maxInFlight,
      Map<String, String> headers) {
    /** Without header values. */
    @Override
    public String toString() {
      return method;
    }
  }

  /**
   * How requests are signed.
   *
   * @param keys the active signing keys, newest first
   */
  public record Signing(SignatureScheme scheme, List<SigningKey> keys) {}

  /**
   * Whether a request is built from more than the message.
   *
   * @param needed what is sent may be other than what was accepted
   * @param routed the application has or had agent routes, so deliveries may name one
   */
  public record Shape(boolean needed, boolean routed) {
    static Shape of(FieldValues endpoint, boolean routed) {
      boolean needed =
          routed
              || endpoint.get(EndpointFields.FILTER) != null
              || Transform.of(endpoint) != null
              || !endpoint.get(EndpointFields.FORWARD_HEADERS).isEmpty();
      return new Shape(needed, routed);
    }
  }

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

  /** The retry schedules of the levels above the endpoint, as texts; null where one has none. */
  public record RetryPolicies(@Nullable String application, @Nullable String environment) {}

  /** See {@link Shape#needed}. */
  public boolean shaped() {
    return shape.needed();
  }

  /** The transform to apply; null if there is none or it is switched off. */
  public @Nullable Transform transform() {
    return Transform.of(values);
  }

  /** The same with what is sealed in the database. */
  EndpointConfig with(Map<String, String> headers, List<SigningKey> keys) {
    return new EndpointConfig(
        applicationId,
        endpointId,
        environmentId,
        version,
        values,
        new Request(request.method(), request.timeoutMs(), request.maxInFlight(), headers),
        new Signing(signing.scheme(), keys),
        shape,
        retryPolicies,
        disabled,
        deleted);
  }

  /** Without header values. */
  @Override
  public String toString() {
    return "EndpointConfig[" + endpointId + " version " + version + "]";
  }
}
