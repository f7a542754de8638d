package dev.postrider.inbound.request;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, which every Java runtime has. */
public final class Sha256 {
  private Sha256() {}

  /** The hash of the parts, one after the other. */
  public static byte[] of(byte[]... parts) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      for (byte[] part : parts) {
        sha256.update(part);
      }
      return sha256.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java runtime does not support SHA-256", e);
    }
  }

  /** The hash in hexadecimal, marked as one. */
  public static String text(byte[] bytes) {
    return "sha256:" + HexFormat.of().formatHex(of(bytes));
  }
}
