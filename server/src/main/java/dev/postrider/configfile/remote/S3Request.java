package dev.postrider.configfile.remote;

import dev.postrider.config.FileConfig;
import dev.postrider.config.FileLocation;
import dev.postrider.crypto.AwsRequestSigner;
import dev.postrider.delivery.http.address.Target;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Requests for the objects of one bucket of an S3-compatible store. */
final class S3Request {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();
  private static final String UNESCAPED = "-._~/";

  private final FileConfig.Fetching.S3 store;
  private final Optional<AwsRequestSigner> signer;

  S3Request(FileConfig.Fetching.S3 store) {
    this.store = store;
    Map<String, String> variables = new HashMap<>();
    store.credentials().forEach((name, secret) -> variables.put(name, secret.reveal()));
    this.signer = AwsRequestSigner.of(store.region(), "s3", variables);
  }

  /**
   * The URL of an object. The bucket is part of the path in another store than AWS, and if its dots
   * would not fit the certificate of AWS.
   */
  String url(FileLocation.Remote location) {
    String bucket = location.uri().getRawAuthority();
    String path = escaped(location.uri().getPath());
    URI endpoint = store.endpoint().orElse(null);
    if (endpoint != null) {
      return endpoint + "/" + bucket + path;
    }
    String host =
        "s3."
            + store.region()
            + (store.region().startsWith("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com");
    return bucket.indexOf('.') < 0
        ? "https://" + bucket + "." + host + path
        : "https://" + host + "/" + bucket + path;
  }

  /** As the signature needs it: everything but a few characters is escaped. */
  private static String escaped(String path) {
    StringBuilder escaped = new StringBuilder();
    for (byte b : path.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) b;
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || UNESCAPED.indexOf(c) >= 0;
      if (plain) {
        escaped.append(c);
      } else {
        escaped.append('%').append(HEX.toHexDigits(b));
      }
    }
    return escaped.toString();
  }

  /** The headers that authenticate a GET; none if there are no credentials. */
  SortedMap<String, String> headers(Target target, Instant now) throws FetchFailed {
    if (signer.isEmpty()) {
      return new TreeMap<>();
    }
    try {
      // without the host, which the client writes itself
      return signer.get().signedGet(target.authority(), target.pathAndQuery(), now);
    } catch (GeneralSecurityException e) {
      throw new FetchFailed("the request cannot be signed: " + e.getMessage());
    }
  }
}
