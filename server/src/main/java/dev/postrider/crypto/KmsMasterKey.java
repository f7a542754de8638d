package dev.postrider.crypto;

import com.google.crypto.tink.KmsClient;
import com.google.crypto.tink.KmsClients;
import java.security.GeneralSecurityException;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Finds the KMS client for a URI. None is shipped: whoever uses a KMS adds its jar. */
public final class KmsMasterKey {
  private KmsMasterKey() {}

  /** Whether the text names a key in a KMS rather than being a key. */
  public static boolean isKmsUri(String text) {
    return text.contains("-kms://") || text.startsWith("hcvault://");
  }

  /** The key that the URI names, with the credentials that the environment offers. */
  public static MasterKey of(String uri) {
    KmsClient client = client(uri);
    if (client == null) {
      throw new IllegalArgumentException(
          "master key " + uri + ": no client for this KMS is installed; " + fix(uri));
    }
    try {
      return MasterKey.ofKms(uri, client.getAead(uri));
    } catch (GeneralSecurityException | RuntimeException e) {
      throw MasterKeyUnavailable.kmsAway(uri, e);
    }
  }

  private static @Nullable KmsClient client(String uri) {
    for (KmsClient found : ServiceLoader.load(KmsClient.class)) {
      if (found.doesSupport(uri)) {
        return withCredentials(found, uri);
      }
    }
    try {
      return KmsClients.get(uri);
    } catch (GeneralSecurityException _) {
      return null;
    }
  }

  private static KmsClient withCredentials(KmsClient client, String uri) {
    try {
      return client.withDefaultCredentials();
    } catch (GeneralSecurityException | RuntimeException e) {
      throw new IllegalArgumentException(
          "master key " + uri + ": no credentials for this KMS in the environment", e);
    }
  }

  private static String fix(String uri) {
    if (uri.startsWith("aws-kms://")) {
      return "add the jar com.google.crypto.tink:tink-awskms and what it needs to lib/";
    }
    if (uri.startsWith("gcp-kms://")) {
      return "add the jar com.google.crypto.tink:tink-gcpkms and what it needs to lib/";
    }
    return "add the jar of a Tink KmsClient that supports it to lib/ (aws-kms:// and gcp-kms:// have one)";
  }
}
