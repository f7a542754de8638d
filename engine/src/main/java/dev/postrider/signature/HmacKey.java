package dev.postrider.signature;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * A shared secret for HMAC-SHA256: either bytes written as {@code whsec_} and base64, or a text
 * that the owner chose, whose UTF-8 bytes are the key.
 */
public final class HmacKey implements SigningKey {
  public static final String PREFIX = "whsec_";
  public static final int MIN_BYTES = 24;
  public static final int MAX_BYTES = 64;
  public static final int GENERATED_BYTES = 32;
  public static final int MIN_RAW_CHARACTERS = 16;
  public static final int MAX_RAW_CHARACTERS = 128;

  static final byte KIND_BASE64 = 1;
  static final byte KIND_RAW = 2;

  private static final String ALGORITHM = "HmacSHA256";
  private static final String EXPECTED =
      PREFIX + " followed by the base64 encoding of 24 to 64 bytes";

  /** Prepared instances kept for the next signatures; threads beyond that many make their own. */
  private static final int IDLE_MACS = 4;

  private final byte kind;
  private final byte[] bytes;
  private final SecretKeySpec spec;

  /**
   * A Mac is not thread-safe and costs a provider lookup, and threads are too many and too
   * short-lived to own one each. A thread that takes a Mac empties its slot, so no two threads ever
   * hold the same.
   */
  private final AtomicReferenceArray<@Nullable Mac> idle = new AtomicReferenceArray<>(IDLE_MACS);

  private volatile @Nullable HmacKey shown;

  private HmacKey(byte kind, byte[] bytes) {
    this.kind = kind;
    this.bytes = bytes;
    this.spec = new SecretKeySpec(bytes, ALGORITHM);
  }

  public static HmacKey generate(SecureRandom random) {
    byte[] bytes = new byte[GENERATED_BYTES];
    random.nextBytes(bytes);
    return new HmacKey(KIND_BASE64, bytes);
  }

  /** {@code whsec_} and base64; the prefix may be missing. */
  public static HmacKey parse(String text) {
    return ofBytes(
        SigningKeyText.base64(text, text.startsWith(PREFIX) ? PREFIX.length() : 0, EXPECTED));
  }

  public static HmacKey ofBytes(byte[] bytes) {
    if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "secret: must be " + EXPECTED + ", not of " + bytes.length);
    }
    return new HmacKey(KIND_BASE64, bytes.clone());
  }

  /** A text whose UTF-8 bytes are the key, as the {@code sha256=} schemes have it. */
  public static HmacKey raw(String text) {
    int characters = text.codePointCount(0, text.length());
    if (characters < MIN_RAW_CHARACTERS || characters > MAX_RAW_CHARACTERS) {
      throw new IllegalArgumentException(
          "secret: must have 16 to 128 characters, not " + characters);
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new IllegalArgumentException(
          "secret: has an incomplete surrogate pair; use complete characters");
    }
    return new HmacKey(KIND_RAW, text.getBytes(StandardCharsets.UTF_8));
  }

  static HmacKey ofRawBytes(byte[] utf8) {
    return raw(new String(utf8, StandardCharsets.UTF_8));
  }

  /** True for a text used as it is, false for {@code whsec_}. */
  public boolean isRaw() {
    return kind == KIND_RAW;
  }

  /** The key of the {@code sha256=} schemes: the text of this secret, as shown. */
  public HmacKey asShown() {
    if (isRaw()) {
      return this;
    }
    HmacKey known = shown;
    if (known == null) {
      known = raw(text());
      shown = known; // two threads may each make one; they are equal
    }
    return known;
  }

  @Override
  public String version() {
    return "v1";
  }

  @Override
  public byte[] sign(byte[] head, byte[] body) {
    Mac mac = take();
    mac.update(head);
    byte[] signature = mac.doFinal(body);
    giveBack(mac);
    return signature;
  }

  /** The signature of the one part. */
  public byte[] sign(byte[] body) {
    Mac mac = take();
    byte[] signature = mac.doFinal(body);
    giveBack(mac);
    return signature;
  }

  @Override
  public boolean verifies(byte[] head, byte[] body, byte[] signature) {
    return MessageDigest.isEqual(sign(head, body), signature);
  }

  @Override
  public String text() {
    return isRaw() ? new String(bytes, StandardCharsets.UTF_8) : SigningKeyText.text(PREFIX, bytes);
  }

  @Override
  public byte[] encode() {
    return SigningKeyText.withKind(kind, bytes);
  }

  private Mac take() {
    for (int i = 0; i < IDLE_MACS; i++) {
      Mac mac = idle.get(i) == null ? null : idle.getAndSet(i, null);
      if (mac != null) {
        return mac;
      }
    }
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(spec);
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime does not support " + ALGORITHM, e);
    }
  }

  /** Only after doFinal, which leaves it as init did; one that threw is dropped. */
  private void giveBack(Mac mac) {
    for (int i = 0; i < IDLE_MACS; i++) {
      if (idle.get(i) == null && idle.compareAndSet(i, null, mac)) {
        return;
      }
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof HmacKey that
        && kind == that.kind
        && MessageDigest.isEqual(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return isRaw() ? "HmacKey[raw]" : "HmacKey[whsec_]";
  }
}
