package dev.postrider.inbound.verify;

/** What a verifier found. */
public sealed interface Verification {

  /**
   * Whoever sent it knows the secret.
   *
   * @param detail which signature was right, for logs; nothing secret
   */
  record Valid(String detail) implements Verification {}

  /** To be refused; the text is for the source's owner, not for the caller. */
  record Invalid(Reason reason, String text) implements Verification {}

  /** The source asks for no proof. */
  record NotAsked() implements Verification {}

  /** Why a request is refused. */
  enum Reason {
    /** Its signature, timestamp or token did not come. */
    MISSING_HEADER,
    /** What came is not of the scheme's form. */
    MALFORMED,
    /** Its timestamp is too old, or too far ahead. */
    STALE,
    /** The signature or token is not ours. */
    MISMATCH,
    /** It names a certificate, proxy, topic or key that is not trusted. */
    UNTRUSTED,
    /** The source has no secret to check with. */
    NO_SECRET,
    /** A certificate could not be fetched; the same request may pass later, so answer 503. */
    UNAVAILABLE
  }

  static Verification missing(String header) {
    return new Invalid(Reason.MISSING_HEADER, header + " did not come");
  }

  static Verification malformed(String text) {
    return new Invalid(Reason.MALFORMED, text);
  }

  static Verification mismatch(String what) {
    return new Invalid(
        Reason.MISMATCH,
        what + " is not right for any live secret; is the secret the one that the provider shows?");
  }

  static Verification untrusted(String text) {
    return new Invalid(Reason.UNTRUSTED, text);
  }
}
