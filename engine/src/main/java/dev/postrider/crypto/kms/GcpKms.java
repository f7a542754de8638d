package dev.postrider.crypto.kms;

import com.google.crypto.tink.Aead;
import dev.postrider.json.Json;
import dev.postrider.time.TimeSource;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Pattern;
import javax.crypto.AEADBadTagException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** A key in Google Cloud KMS, called as the service account of this machine or container. */
public final class GcpKms implements Aead {
  public static final String SCHEME = "gcp-kms://";

  private static final Pattern NAME =
      Pattern.compile(
          "projects/[A-Za-z0-9:._-]+/locations/[a-z0-9-]+/keyRings/[A-Za-z0-9_-]+/cryptoKeys/[A-Za-z0-9_-]+");

  /** Refreshed this long before it expires. */
  private static final Duration EARLY = Duration.ofMinutes(1);

  private record Token(String text, long untilMs) {}

  private final String name;
  private final ServiceAddress endpoint;
  private final ServiceAddress tokens;
  private final JsonCall http;
  private final TimeSource time;
  private @Nullable Token token; // guarded by this

  private GcpKms(
      String name, ServiceAddress endpoint, ServiceAddress tokens, JsonCall http, TimeSource time) {
    this.name = name;
    this.endpoint = endpoint;
    this.tokens = tokens;
    this.http = http;
    this.time = time;
  }

  /**
   * @param environment {@code GCE_METADATA_HOST} and {@code
   *     CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS} for other addresses than Google's
   */
  public static GcpKms of(String uri, Map<String, String> environment, TimeSource time) {
    String name = uri.substring(SCHEME.length());
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "master key "
              + uri
              + ": must be gcp-kms://projects/PROJECT/locations/LOCATION/keyRings/RING/cryptoKeys/KEY");
    }
    String host = environment.get("GCE_METADATA_HOST");
    String chosen = environment.get("CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS");
    String endpoint = chosen == null ? "https://cloudkms.googleapis.com/" : chosen;
    return new GcpKms(
        name,
        new ServiceAddress(
            URI.create(endpoint.endsWith("/") ? endpoint : endpoint + "/"), chosen != null),
        new ServiceAddress(
            URI.create(
                "http://"
                    + (host == null ? "metadata.google.internal" : host)
                    + "/computeMetadata/v1/instance/service-accounts/default/token"),
            host != null),
        JsonCall.create(),
        time);
  }

  @Override
  public byte[] encrypt(byte[] plaintext, byte[] context) throws GeneralSecurityException {
    JsonCall.Answer answer = call("encrypt", "plaintext", plaintext, context);
    if (!answer.ok()) {
      throw answer.refusal();
    }
    return answer.bytes("ciphertext");
  }

  @Override
  public byte[] decrypt(byte[] ciphertext, byte[] context) throws GeneralSecurityException {
    JsonCall.Answer answer = call("decrypt", "ciphertext", ciphertext, context);
    if (answer.status() == 400) {
      throw new AEADBadTagException("Google Cloud KMS: " + answer.refusal().getMessage());
    }
    if (!answer.ok()) {
      throw answer.refusal();
    }
    return answer.bytes("plaintext");
  }

  private JsonCall.Answer call(String operation, String field, byte[] value, byte[] context)
      throws GeneralSecurityException {
    ObjectNode request = Json.MAPPER.createObjectNode();
    request.put(field, Base64.getEncoder().encodeToString(value));
    request.put("additionalAuthenticatedData", Base64.getEncoder().encodeToString(context));
    return http.post(
        new ServiceAddress(
            endpoint.uri().resolve("v1/" + name + ":" + operation), endpoint.configured()),
        Map.of("Authorization", "Bearer " + token(), "Content-Type", "application/json"),
        Json.MAPPER.writeValueAsBytes(request));
  }

  private synchronized String token() throws GeneralSecurityException {
    Token known = token;
    if (known != null && time.nowMs() < known.untilMs()) {
      return known.text();
    }
    JsonCall.Answer answer = http.get(tokens, Map.of("Metadata-Flavor", "Google"));
    if (!answer.ok()) {
      throw answer.refusal();
    }
    long seconds = answer.body().path("expires_in").asLong(0);
    Token fresh =
        new Token(answer.text("access_token"), time.nowMs() + 1_000 * seconds - EARLY.toMillis());
    token = fresh;
    return fresh.text();
  }
}
