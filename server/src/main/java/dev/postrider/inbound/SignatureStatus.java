package dev.postrider.inbound;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The result of verifying a request to a source, as stored with it and as shown in lists. */
public enum SignatureStatus {
  VALID,
  /** Only of rejected requests. */
  INVALID,
  /** The request has no signature. It is accepted if the source allows it. */
  MISSING,
  /** The source does not verify requests. */
  NOT_ASKED,
  /** The sender has an API key, which replaces the verification. */
  API_KEY;

  static final String NO_SIGNATURE = "missing_header";

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static List<String> texts() {
    return Arrays.stream(values()).map(SignatureStatus::text).toList();
  }

  /** Of a rejected request; null if it was rejected before or after its verification. */
  static @Nullable SignatureStatus ofRejected(int status, String reason) {
    if (status != 401) {
      return null;
    }
    return reason.equals(NO_SIGNATURE) ? MISSING : INVALID;
  }
}
