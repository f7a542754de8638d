package dev.postrider.delivery.http;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A network: the bits of its base address and how many of them count. IPv4 addresses fill the low
 * 32 bits of {@code low}.
 */
public record Cidr(boolean ipv4, long high, long low, int prefix) {
  private static final int IPV4_BITS = 32;
  private static final int IPV6_BITS = 128;

  public Cidr {
    int bits = ipv4 ? IPV4_BITS : IPV6_BITS;
    if (prefix < 0 || prefix > bits) {
      throw new IllegalArgumentException("the prefix must be 0 to " + bits + ", not " + prefix);
    }
    high &= highMask(ipv4, prefix);
    low &= lowMask(ipv4, prefix);
  }

  /** Parses {@code 10.0.0.0/8}, {@code fd00::/8}, or one address without a prefix. */
  public static Cidr parse(String text) {
    String trimmed = text.strip();
    int slash = trimmed.indexOf('/');
    InetAddress base = literal(text, slash < 0 ? trimmed : trimmed.substring(0, slash));
    byte[] bytes = base.getAddress();
    int prefix = slash < 0 ? bytes.length * 8 : prefix(text, trimmed.substring(slash + 1));
    if (prefix > bytes.length * 8) {
      throw new IllegalArgumentException(problem(text));
    }
    return of(bytes, prefix);
  }

  static Cidr of(byte[] address, int prefix) {
    ByteBuffer bytes = ByteBuffer.wrap(address);
    return address.length == 4
        ? new Cidr(true, 0, bytes.getInt() & 0xffffffffL, prefix)
        : new Cidr(false, bytes.getLong(), bytes.getLong(), prefix);
  }

  public boolean contains(InetAddress address) {
    return contains(address.getAddress());
  }

  boolean contains(byte[] address) {
    if ((address.length == 4) != ipv4) {
      return false;
    }
    ByteBuffer bytes = ByteBuffer.wrap(address);
    if (ipv4) {
      return (bytes.getInt() & lowMask(true, prefix)) == low;
    }
    return (bytes.getLong() & highMask(false, prefix)) == high
        && (bytes.getLong() & lowMask(false, prefix)) == low;
  }

  static boolean anyContains(List<Cidr> networks, InetAddress address) {
    byte[] bytes = address.getAddress();
    for (Cidr network : networks) {
      if (network.contains(bytes)) {
        return true;
      }
    }
    return false;
  }

  private static InetAddress literal(String text, String address) {
    // Only canonical spellings: a list entry that means another network than it seems to is a hole.
    if (!HostSpelling.isCanonicalIpv4(address) && address.indexOf(':') < 0) {
      throw new IllegalArgumentException(problem(text));
    }
    try {
      return HostSpelling.literal(address);
    } catch (IllegalArgumentException _) {
      throw new IllegalArgumentException(problem(text));
    }
  }

  private static int prefix(String text, String digits) {
    if (digits.isEmpty()
        || digits.length() > 3
        || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new IllegalArgumentException(problem(text));
    }
    return Integer.parseInt(digits);
  }

  private static String problem(String text) {
    return "'" + text + "' is not a network; write it like 10.0.0.0/8 or fd00::/8";
  }

  private static long highMask(boolean ipv4, int prefix) {
    if (ipv4 || prefix == 0) {
      return 0;
    }
    return prefix >= Long.SIZE ? -1L : -1L << (Long.SIZE - prefix);
  }

  private static long lowMask(boolean ipv4, int prefix) {
    if (ipv4) {
      return prefix == 0 ? 0 : (0xffffffffL << (IPV4_BITS - prefix)) & 0xffffffffL;
    }
    return prefix <= Long.SIZE ? 0 : -1L << (IPV6_BITS - prefix);
  }
}
