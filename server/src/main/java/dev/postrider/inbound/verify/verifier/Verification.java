package dev.postrider.inbound.verify.verifier;

/** The result of a verification. */
public sealed interface Verification {

  /**
   * The request is authentic.
   *
   * @param detail which signature was valid, for logs; nothing secret
   */
  record Valid(String detail) implements Verification {}

  /** The request is rejected; the text is for the owner of the source, not for the caller. */
  record Invalid(Reason reason, String text) implements Verification {}

  /** The request was not verified, because the source has no verification scheme. */
  record NotAsked() implements Verification {}

  /** Why a request is rejected. */
  enum Reason {
    /** The signature, timestamp or token is missing. */
    MISSING_HEADER,
    /** The value does not have the format of the scheme. */
    MALFORMED,
    /** The timestamp is too old, or too far in the future. */
    STALE,
    /** The signature or token is wrong. */
    MISMATCH,
    /** It names a certificate, proxy, topic or key that is not trusted. */
    UNTRUSTED,
    /** The source has no secret to check with. */
    NO_SECRET,
    /** A certificate could not be fetched; the same request may pass later, so respond with 503. */
    UNAVAILABLE
  }

  static Verification missing(String header) {
    return new Invalid(Reason.MISSING_HEADER, header + " is missing");
  }

  static Verification malformed(String text) {
    return new Invalid(Reason.MALFORMED, text);
  }

  static Verification mismatch(String what) {
    return new Invalid(
        Reason.MISMATCH,
        what
            + " does not match any active secret; check that the secret is the one shown by the"
            + " provider");
  }

  static Verification untrusted(String text) {
    return new Invalid(Reason.UNTRUSTED, text);
  }
}
