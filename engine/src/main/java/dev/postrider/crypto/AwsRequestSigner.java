package dev.postrider.crypto;

import dev.postrider.crypto.kms.AwsCredentials;
import dev.postrider.crypto.kms.AwsSignature;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Signs requests to a service of AWS, or to one with the same signature, such as S3. */
public final class AwsRequestSigner {
  private static final byte[] NO_BODY = new byte[0];

  private final AwsSignature signature;
  private final AwsCredentials.Source credentials;

  private AwsRequestSigner(AwsSignature signature, AwsCredentials.Source credentials) {
    this.signature = signature;
    this.credentials = credentials;
  }

  /**
   * With the credentials that the variables contain or refer to, such as {@code AWS_ACCESS_KEY_ID};
   * empty if there are none.
   */
  public static Optional<AwsRequestSigner> of(
      String region, String service, Map<String, String> variables) {
    boolean known =
        variables.containsKey("AWS_ACCESS_KEY_ID")
            || variables.keySet().stream().anyMatch(name -> name.startsWith("AWS_CONTAINER_CRED"));
    return known
        ? Optional.of(
            new AwsRequestSigner(
                new AwsSignature(region, service), AwsCredentials.Source.of(variables)))
        : Optional.empty();
  }

  /**
   * The headers to add to a GET, without the host.
   *
   * @param pathAndQuery in its canonical form
   */
  public SortedMap<String, String> signedGet(String host, String pathAndQuery, Instant now)
      throws GeneralSecurityException {
    SortedMap<String, String> headers = new TreeMap<>();
    headers.put("host", host);
    headers.put("x-amz-content-sha256", AwsSignature.hash(NO_BODY));
    SortedMap<String, String> signed =
        signature.signed(
            new AwsSignature.Request("GET", pathAndQuery, "", headers, NO_BODY),
            credentials.get(now),
            now);
    signed.remove("host");
    return signed;
  }
}
