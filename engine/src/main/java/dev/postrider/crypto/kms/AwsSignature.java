package dev.postrider.crypto.kms;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** AWS Signature Version 4: authenticates the caller and protects the request against changes. */
public final class AwsSignature {
  private static final String ALGORITHM = "AWS4-HMAC-SHA256";
  private static final String HMAC = "HmacSHA256";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
  private static final int DATE_LENGTH = 8;

  private final String region;
  private final String service;

  public AwsSignature(String region, String service) {
    this.region = region;
    this.service = service;
  }

  /**
   * The parts of an HTTP request that the AWS signature covers.
   *
   * @param path and query in their canonical form
   * @param headers by lower-case name, the host among them
   */
  public record Request(
      String method, String path, String query, SortedMap<String, String> headers, byte[] body) {}

  static String time(Instant now) {
    return TIME.format(now);
  }

  /** The headers to add: the time, the session if there is one, and the signature over all. */
  public SortedMap<String, String> signed(Request request, AwsCredentials who, Instant now)
      throws GeneralSecurityException {
    SortedMap<String, String> headers = new TreeMap<>(request.headers());
    String time = time(now);
    headers.put("x-amz-date", time);
    String session = who.sessionToken();
    if (session != null) {
      headers.put("x-amz-security-token", session);
    }
    String names = String.join(";", headers.keySet());
    StringBuilder canonical = new StringBuilder();
    canonical.append(request.method()).append('\n');
    canonical.append(request.path()).append('\n').append(request.query()).append('\n');
    headers.forEach(
        (name, value) -> canonical.append(name).append(':').append(value.strip()).append('\n'));
    canonical.append('\n').append(names).append('\n').append(hash(request.body()));
    String date = time.substring(0, DATE_LENGTH);
    String scope = date + "/" + region + "/" + service + "/aws4_request";
    String toSign =
        ALGORITHM + "\n" + time + "\n" + scope + "\n" + hash(bytes(canonical.toString()));
    String signature = HexFormat.of().formatHex(hmac(key(who.secretKey(), date), toSign));
    headers.put(
        "authorization",
        "%s Credential=%s/%s, SignedHeaders=%s, Signature=%s"
            .formatted(ALGORITHM, who.accessKey(), scope, names, signature));
    return headers;
  }

  /** The key of one day, region and service. */
  byte[] key(String secretKey, String date) throws GeneralSecurityException {
    byte[] ofDate = hmac(bytes("AWS4" + secretKey), date);
    return hmac(hmac(hmac(ofDate, region), service), "aws4_request");
  }

  private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
    Mac mac = Mac.getInstance(HMAC);
    mac.init(new SecretKeySpec(key, HMAC));
    return mac.doFinal(bytes(text));
  }

  /** The hash of a body as S3 expects it in a header of its own, {@code x-amz-content-sha256}. */
  public static String hash(byte[] bytes) throws GeneralSecurityException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
