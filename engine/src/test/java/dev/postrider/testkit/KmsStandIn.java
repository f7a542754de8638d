package dev.postrider.testkit;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.subtle.AesGcmJce;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * AWS KMS, Google Cloud KMS and Vault's transit engine on loopback, in their own wire formats, over
 * one real key. It checks who calls as they do, and can be away.
 */
public final class KmsStandIn implements AutoCloseable {
  public static final String TOKEN = "hvs.a-token";
  public static final String ACCESS_KEY = "AKIDEXAMPLE";
  public static final String SECRET_KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
  public static final String ARN =
      "arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";
  public static final String GCP_KEY =
      "projects/acme/locations/europe-west1/keyRings/ring/cryptoKeys/postrider";

  private static final JsonMapper MAPPER = new JsonMapper();

  private final Receiver receiver = new Receiver();
  private final Aead key;
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger tokens = new AtomicInteger();
  private volatile boolean away;

  public KmsStandIn() throws GeneralSecurityException {
    key = new AesGcmJce(new byte[32]);
    receiver.behave(this::answer);
  }

  public String url() {
    String url = receiver.url("/");
    return url.substring(0, url.length() - 1);
  }

  public String host() {
    return url().substring("http://".length());
  }

  public void away(boolean now) {
    away = now;
  }

  /** Calls of every kind, the failed ones too. */
  public int asked() {
    return asked.get();
  }

  /** Tokens and credentials that were handed out. */
  public int tokens() {
    return tokens.get();
  }

  public Receiver receiver() {
    return receiver;
  }

  private Receiver.Answer answer(Receiver.Request request) throws Exception {
    asked.incrementAndGet();
    if (away) {
      return json(503, Map.of("message", "away"));
    }
    if (request.path().startsWith("/computeMetadata/")) {
      return token(request);
    }
    if (request.path().equals("/credentials")) {
      tokens.incrementAndGet();
      return json(
          200,
          Map.of(
              "AccessKeyId",
              ACCESS_KEY,
              "SecretAccessKey",
              SECRET_KEY,
              "Token",
              "session",
              "Expiration",
              "2099-01-01T00:00:00Z"));
    }
    if (request.path().startsWith("/v1/projects/")) {
      return gcp(request);
    }
    return request.path().startsWith("/v1/") ? vault(request) : aws(request);
  }

  private Receiver.Answer token(Receiver.Request request) {
    if (!request.header("metadata-flavor").equals("Google")) {
      return json(403, Map.of("error", "no flavor"));
    }
    tokens.incrementAndGet();
    return json(
        200, Map.of("access_token", "ya29.token", "expires_in", 3599, "token_type", "Bearer"));
  }

  private Receiver.Answer gcp(Receiver.Request request) {
    if (!request.header("authorization").equals("Bearer ya29.token")) {
      return json(401, Map.of("error", Map.of("code", 401)));
    }
    JsonNode body = MAPPER.readTree(request.body());
    byte[] context = bytes(body.path("additionalAuthenticatedData"));
    try {
      return switch (request.path()) {
        case "/v1/" + GCP_KEY + ":encrypt" ->
            json(
                200,
                Map.of("ciphertext", base64(key.encrypt(bytes(body.path("plaintext")), context))));
        case "/v1/" + GCP_KEY + ":decrypt" ->
            json(
                200,
                Map.of("plaintext", base64(key.decrypt(bytes(body.path("ciphertext")), context))));
        default -> json(404, Map.of("error", Map.of("code", 404)));
      };
    } catch (GeneralSecurityException _) {
      return json(400, Map.of("error", Map.of("code", 400, "status", "INVALID_ARGUMENT")));
    }
  }

  private Receiver.Answer vault(Receiver.Request request) {
    if (!request.header("x-vault-token").equals(TOKEN)) {
      return json(403, Map.of("errors", new String[] {"permission denied"}));
    }
    JsonNode body = MAPPER.readTree(request.body());
    byte[] context = bytes(body.path("associated_data"));
    try {
      return switch (request.path()) {
        case "/v1/transit/encrypt/postrider" ->
            json(
                200,
                Map.of(
                    "data",
                    Map.of(
                        "ciphertext",
                        "vault:v1:"
                            + base64(key.encrypt(bytes(body.path("plaintext")), context)))));
        case "/v1/transit/decrypt/postrider" -> {
          String text = body.path("ciphertext").asString();
          byte[] sealed = Base64.getDecoder().decode(text.substring("vault:v1:".length()));
          yield json(
              200, Map.of("data", Map.of("plaintext", base64(key.decrypt(sealed, context)))));
        }
        default -> json(404, Map.of("errors", new String[0]));
      };
    } catch (GeneralSecurityException _) {
      return json(400, Map.of("errors", new String[] {"cipher: message authentication failed"}));
    }
  }

  private Receiver.Answer aws(Receiver.Request request) throws GeneralSecurityException {
    if (!request.header("authorization").equals(expectedAuthorization(request))) {
      return json(400, Map.of("__type", "InvalidSignatureException"));
    }
    JsonNode body = MAPPER.readTree(request.body());
    if (!body.path("KeyId").asString().equals(ARN)) {
      return json(400, Map.of("__type", "NotFoundException"));
    }
    byte[] context =
        body.path("EncryptionContext")
            .path("associatedData")
            .asString("")
            .getBytes(StandardCharsets.UTF_8);
    try {
      return switch (request.header("x-amz-target")) {
        case "TrentService.Encrypt" ->
            json(
                200,
                Map.of(
                    "CiphertextBlob", base64(key.encrypt(bytes(body.path("Plaintext")), context))));
        case "TrentService.Decrypt" ->
            json(
                200,
                Map.of(
                    "Plaintext", base64(key.decrypt(bytes(body.path("CiphertextBlob")), context))));
        default -> json(400, Map.of("__type", "UnknownOperationException"));
      };
    } catch (GeneralSecurityException _) {
      return json(400, Map.of("__type", "InvalidCiphertextException"));
    }
  }

  private static String expectedAuthorization(Receiver.Request request)
      throws GeneralSecurityException {
    boolean session = !request.header("x-amz-security-token").isEmpty();
    return expectedAuthorization(
        request,
        "content-type;host;x-amz-date;" + (session ? "x-amz-security-token;" : "") + "x-amz-target",
        "eu-west-1",
        "kms");
  }

  /** Worked out from what arrived, step by step as AWS describes it. */
  static String expectedAuthorization(
      Receiver.Request request, String names, String region, String service)
      throws GeneralSecurityException {
    String time = request.header("x-amz-date");
    String date = time.substring(0, 8);
    StringBuilder canonical = new StringBuilder();
    canonical.append(request.method()).append('\n').append(request.path()).append("\n\n");
    for (String name : names.split(";")) {
      canonical.append(name).append(':').append(request.header(name)).append('\n');
    }
    canonical.append('\n').append(names).append('\n').append(sha256(request.body()));
    String scope = date + "/" + region + "/" + service + "/aws4_request";
    String toSign =
        "AWS4-HMAC-SHA256\n%s\n%s\n%s"
            .formatted(time, scope, sha256(canonical.toString().getBytes(StandardCharsets.UTF_8)));
    byte[] signing = ("AWS4" + SECRET_KEY).getBytes(StandardCharsets.UTF_8);
    for (String step : new String[] {date, region, service, "aws4_request", toSign}) {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(signing, "HmacSHA256"));
      signing = mac.doFinal(step.getBytes(StandardCharsets.UTF_8));
    }
    return "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s"
        .formatted(ACCESS_KEY, scope, names, HexFormat.of().formatHex(signing));
  }

  static String sha256(byte[] bytes) throws GeneralSecurityException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  private static byte[] bytes(JsonNode base64) {
    return Base64.getDecoder().decode(base64.asString());
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static Receiver.Answer json(int status, Map<String, ?> body) {
    return new Receiver.Answer(
        status, Map.of("Content-Type", "application/json"), MAPPER.writeValueAsString(body));
  }

  @Override
  public void close() {
    receiver.close();
  }
}
