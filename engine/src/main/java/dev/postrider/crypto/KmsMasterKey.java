package dev.postrider.crypto;

import com.google.crypto.tink.Aead;
import dev.postrider.crypto.kms.AwsKms;
import dev.postrider.crypto.kms.GcpKms;
import dev.postrider.crypto.kms.VaultTransit;
import dev.postrider.time.TimeSource;
import java.util.Map;

/**
 * Creates the client of a master key that is in a key management service (KMS), selected by the URI
 * of the key.
 */
public final class KmsMasterKey {
  private KmsMasterKey() {}

  /**
   * The key of the URI; the service is not called yet.
   *
   * @param environment addresses and credentials, by the variables that the services' own tools use
   */
  public static MasterKey of(String uri, Map<String, String> environment, TimeSource time) {
    return MasterKey.ofKms(uri, client(uri, environment, time));
  }

  private static Aead client(String uri, Map<String, String> environment, TimeSource time) {
    if (uri.startsWith(AwsKms.SCHEME)) {
      return AwsKms.of(uri, environment, time);
    }
    if (uri.startsWith(GcpKms.SCHEME)) {
      return GcpKms.of(uri, environment, time);
    }
    if (uri.startsWith(VaultTransit.SCHEME)) {
      return VaultTransit.of(uri, environment);
    }
    throw new IllegalArgumentException(
        "master key "
            + uri
            + ": unknown key management service; use aws-kms://, gcp-kms:// or vault://");
  }
}
