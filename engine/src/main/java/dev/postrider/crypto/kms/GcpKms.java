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
  private final String endpoint;
  private final URI tokens;
  private final JsonCall http;
  private final TimeSource time;
  private @Nullable Token token; // guarded by this

  private GcpKms(String name, String endpoint, URI tokens, JsonCall http, TimeSource time) {
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
    String host = environment.getOrDefault("GCE_METADATA_HOST", "metadata.google.internal");
    String endpoint =
        environment.getOrDefault(
            "CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS", "https://cloudkms.googleapis.com/");
    return new GcpKms(
        name,
        endpoint.endsWith("/") ? endpoint : endpoint + "/",
        URI.create(
            "http://" + host + "/computeMetadata/v1/instance/service-accounts/default/token"),
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
        URI.create(endpoint + "v1/" + name + ":" + operation),
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
