package dev.postrider.net;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.util.List;

/**
 * A network ({@code 10.0.0.0/8}, {@code fd00::/8}) or one address. An IPv4 address fills the low 32
 * bits of {@code low}. An IPv4-mapped IPv6 address is in a network if the IPv4 address in it is.
 */
public record Cidr(boolean ipv4, long high, long low, int prefix) {
  public static final String FORM = "an IP address or CIDR (10.0.0.0/8, 127.0.0.1, fd00::/8)";

  private static final int IPV4_BITS = 32;
  private static final int IPV6_BITS = 128;
  private static final int IPV4_BYTES = 4;
  private static final int MAPPED_OFFSET = 12;
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  public Cidr {
    int bits = ipv4 ? IPV4_BITS : IPV6_BITS;
    if (prefix < 0 || prefix > bits) {
      throw new IllegalArgumentException("the prefix must be 0 to " + bits + ", not " + prefix);
    }
    if ((high & ~highMask(ipv4, prefix)) != 0 || (low & ~lowMask(ipv4, prefix)) != 0) {
      throw new IllegalArgumentException("the address has bits after its first " + prefix);
    }
  }

  /**
   * Parses a network, or one address without a prefix. The address of a network must be its first:
   * a list entry that means another network than it seems to would be a hole.
   */
  public static Cidr parse(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    InetAddress base = IpAddress.parse(address);
    if (base == null) {
      throw new IllegalArgumentException(problem(text));
    }
    byte[] bytes = base.getAddress();
    if (slash < 0) {
      return of(bytes, bytes.length * Byte.SIZE);
    }
    if (bytes.length == IPV4_BYTES && address.indexOf(':') >= 0) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is an IPv4 network in IPv6 form: write it like 10.0.0.0/8.");
    }
    int prefix = prefix(text, slash + 1, bytes.length * Byte.SIZE);
    if (hasBitsAfter(bytes, prefix)) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" has address bits after its first "
              + prefix
              + ": write the first address of the range, or drop the /"
              + prefix
              + " to mean one address.");
    }
    return of(bytes, prefix);
  }

  public boolean contains(InetAddress address) {
    return contains(address.getAddress());
  }

  /** Whether the address with these 4 or 16 bytes is in it. */
  public boolean contains(byte[] address) {
    boolean mapped = IpAddress.isMapped(address);
    if ((mapped || address.length == IPV4_BYTES) != ipv4) {
      return false;
    }
    if (ipv4) {
      int value = (int) INT.get(address, mapped ? MAPPED_OFFSET : 0);
      return (value & lowMask(true, prefix)) == low;
    }
    return ((long) LONG.get(address, 0) & highMask(false, prefix)) == high
        && ((long) LONG.get(address, Long.BYTES) & lowMask(false, prefix)) == low;
  }

  public static boolean anyContains(List<Cidr> networks, InetAddress address) {
    return anyContains(networks, address.getAddress());
  }

  public static boolean anyContains(List<Cidr> networks, byte[] address) {
    for (int i = 0; i < networks.size(); i++) {
      if (networks.get(i).contains(address)) {
        return true;
      }
    }
    return false;
  }

  /** Whether one of them has the address written so; false for what is not an address. */
  public static boolean anyContains(List<Cidr> networks, String text) {
    InetAddress address = networks.isEmpty() ? null : IpAddress.parse(text);
    return address != null && anyContains(networks, address);
  }

  private static Cidr of(byte[] address, int prefix) {
    return address.length == IPV4_BYTES
        ? new Cidr(true, 0, (int) INT.get(address, 0) & 0xffffffffL, prefix)
        : new Cidr(
            false, (long) LONG.get(address, 0), (long) LONG.get(address, Long.BYTES), prefix);
  }

  private static int prefix(String text, int from, int bits) {
    int digits = text.length() - from;
    boolean plain = digits == 1 || (digits > 1 && digits <= 3 && text.charAt(from) != '0');
    int value = 0;
    for (int i = from; plain && i < text.length(); i++) {
      char c = text.charAt(i);
      plain = c >= '0' && c <= '9';
      value = 10 * value + (c - '0');
    }
    if (!plain || value > bits) {
      throw new IllegalArgumentException(problem(text));
    }
    return value;
  }

  private static boolean hasBitsAfter(byte[] address, int prefix) {
    for (int bit = prefix; bit < address.length * Byte.SIZE; bit++) {
      if ((address[bit / Byte.SIZE] & (0x80 >> (bit % Byte.SIZE))) != 0) {
        return true;
      }
    }
    return false;
  }

  private static String problem(String text) {
    return "\"" + text + "\" must be " + FORM + ".";
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
