package dev.postrider.crypto.kms;

import com.google.crypto.tink.Aead;
import dev.postrider.json.Json;
import dev.postrider.time.TimeSource;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.AEADBadTagException;
import tools.jackson.databind.node.ObjectNode;

/**
 * A key in AWS KMS: {@code aws-kms://arn:aws:kms:REGION:ACCOUNT:key/ID}, or the ARN of an alias.
 */
public final class AwsKms implements Aead {
  public static final String SCHEME = "aws-kms://";

  private static final Pattern ARN =
      Pattern.compile("arn:(aws[a-z-]*):kms:([a-z0-9-]+):\\d+:(?:key|alias)/[A-Za-z0-9/_:-]+");

  /** The error code for a ciphertext that was encrypted with another key or for another context. */
  private static final Set<String> REFUSALS =
      Set.of("InvalidCiphertextException", "IncorrectKeyException");

  private final String arn;
  private final ServiceAddress endpoint;
  private final AwsSignature signature;
  private final AwsCredentials.Source credentials;
  private final JsonCall http;
  private final TimeSource time;

  private AwsKms(
      String arn,
      ServiceAddress endpoint,
      AwsSignature signature,
      AwsCredentials.Source credentials,
      JsonCall http,
      TimeSource time) {
    this.arn = arn;
    this.endpoint = endpoint;
    this.signature = signature;
    this.credentials = credentials;
    this.http = http;
    this.time = time;
  }

  /**
   * @param environment credentials, and {@code AWS_ENDPOINT_URL_KMS} for another address than AWS's
   */
  public static AwsKms of(String uri, Map<String, String> environment, TimeSource time) {
    String arn = uri.substring(SCHEME.length());
    Matcher parts = ARN.matcher(arn);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "master key "
              + uri
              + ": must be aws-kms:// and the ARN of a key or an alias, such as aws-kms://arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab");
    }
    String region = parts.group(2);
    String suffix = parts.group(1).equals("aws-cn") ? ".amazonaws.com.cn" : ".amazonaws.com";
    String chosen =
        environment.getOrDefault("AWS_ENDPOINT_URL_KMS", environment.get("AWS_ENDPOINT_URL"));
    String address = chosen == null ? "https://kms." + region + suffix : chosen;
    JsonCall http = JsonCall.create();
    return new AwsKms(
        arn,
        new ServiceAddress(URI.create(address).resolve("/"), chosen != null),
        new AwsSignature(region, "kms"),
        new AwsCredentials.Source(environment, http),
        http,
        time);
  }

  @Override
  public byte[] encrypt(byte[] plaintext, byte[] context) throws GeneralSecurityException {
    return call("Encrypt", "Plaintext", plaintext, context).bytes("CiphertextBlob");
  }

  @Override
  public byte[] decrypt(byte[] ciphertext, byte[] context) throws GeneralSecurityException {
    return call("Decrypt", "CiphertextBlob", ciphertext, context).bytes("Plaintext");
  }

  private JsonCall.Answer call(String operation, String field, byte[] value, byte[] context)
      throws GeneralSecurityException {
    ObjectNode request = Json.MAPPER.createObjectNode();
    request.put("KeyId", arn);
    request.put(field, Base64.getEncoder().encodeToString(value));
    if (context.length > 0) {
      // The name and format of Tink's client, so that its ciphertexts can be decrypted here.
      request
          .putObject("EncryptionContext")
          .put("associatedData", HexFormat.of().formatHex(context));
    }
    byte[] body = Json.MAPPER.writeValueAsBytes(request);
    JsonCall.Answer answer = http.post(endpoint, headers(operation, body), body);
    if (answer.ok()) {
      return answer;
    }
    String type = answer.body().path("__type").asString("");
    if (REFUSALS.contains(type.substring(type.indexOf('#') + 1))) {
      throw new AEADBadTagException("AWS KMS: " + type);
    }
    throw answer.refusal();
  }

  private Map<String, String> headers(String operation, byte[] body)
      throws GeneralSecurityException {
    SortedMap<String, String> headers = new TreeMap<>();
    headers.put("content-type", "application/x-amz-json-1.1");
    headers.put("host", endpoint.uri().getAuthority());
    headers.put("x-amz-target", "TrentService." + operation);
    SortedMap<String, String> signed =
        signature.signed(
            new AwsSignature.Request("POST", "/", "", headers, body),
            credentials.get(time.now()),
            time.now());
    signed.remove("host"); // the client writes it itself
    return signed;
  }
}
