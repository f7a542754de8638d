package dev.postrider.net;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Parses IP addresses in their canonical notation. IPv4 is four decimal numbers without leading
 * zeros: {@code 010.1}, {@code 0x7f.1} and {@code 2130706433} mean different addresses to different
 * parsers, so they are rejected. An IPv4-mapped IPv6 address ({@code ::ffff:10.0.0.1}) is converted
 * to IPv4. Zone ids are rejected.
 */
public final class IpAddress {
  private static final int IPV4_NUMBERS = 4;
  private static final int IPV6_BYTES = 16;

  /** The first byte of the IPv4 address in a mapped one. */
  private static final int MAPPED_OFFSET = 12;

  private static final int MAX_IPV6_TEXT = 45;
  private static final int MAX_GROUP_DIGITS = 4;

  private IpAddress() {}

  /** The address that a text is; null if it is not an address in its plain spelling. */
  public static @Nullable InetAddress parse(String text) {
    if (!isIpv4(text) && !isIpv6Spelling(text)) {
      return null;
    }
    try {
      return InetAddress.ofLiteral(text);
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  /** Whether a text is four decimal numbers of 0 to 255 without leading zeros. */
  public static boolean isIpv4(String text) {
    return isIpv4(text, 0);
  }

  /** Whether the bytes are an IPv6 address that only spells an IPv4 address differently. */
  public static boolean isMapped(byte[] address) {
    if (address.length != IPV6_BYTES) {
      return false;
    }
    for (int i = 0; i < MAPPED_OFFSET - 2; i++) {
      if (address[i] != 0) {
        return false;
      }
    }
    return address[MAPPED_OFFSET - 2] == -1 && address[MAPPED_OFFSET - 1] == -1;
  }

  private static boolean isIpv4(String text, int from) {
    int numbers = 0;
    int start = from;
    while (start <= text.length()) {
      int dot = text.indexOf('.', start);
      int end = dot < 0 ? text.length() : dot;
      if (!isByte(text, start, end)) {
        return false;
      }
      numbers++;
      start = end + 1;
    }
    return numbers == IPV4_NUMBERS;
  }

  private static boolean isByte(String text, int start, int end) {
    int length = end - start;
    if (length < 1 || length > 3 || (length > 1 && text.charAt(start) == '0')) {
      return false;
    }
    int value = 0;
    for (int i = start; i < end; i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        return false;
      }
      value = 10 * value + (c - '0');
    }
    return value <= 255;
  }

  /** Checks what the JDK does not: characters, the length of a group, and an IPv4 tail. */
  private static boolean isIpv6Spelling(String text) {
    int lastColon = text.lastIndexOf(':');
    if (lastColon < 0 || text.length() > MAX_IPV6_TEXT) {
      return false;
    }
    int digits = 0;
    for (int i = 0; i <= lastColon; i++) {
      char c = text.charAt(i);
      digits = c == ':' ? 0 : digits + 1;
      if ((c != ':' && !isHex(c)) || digits > MAX_GROUP_DIGITS) {
        return false;
      }
    }
    return text.indexOf('.') >= 0 ? isIpv4(text, lastColon + 1) : isGroup(text, lastColon + 1);
  }

  private static boolean isGroup(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      if (!isHex(text.charAt(i))) {
        return false;
      }
    }
    return text.length() - from <= MAX_GROUP_DIGITS;
  }

  private static boolean isHex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }
}
