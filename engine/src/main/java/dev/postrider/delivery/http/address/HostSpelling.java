package dev.postrider.delivery.http.address;

import dev.postrider.net.IpAddress;
import java.net.IDN;
import java.net.InetAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Normalizes the host of a URL: ASCII, lower case, no trailing dot, IPv4 only as four decimal
 * numbers. Resolvers read {@code 0x7f.1} and {@code 2130706433} as addresses; rejecting such forms
 * ensures that the checked address is the one that is connected to.
 */
public final class HostSpelling {
  private static final int MAX_NAME_LENGTH = 253;
  private static final int MAX_LABEL_LENGTH = 63;

  private HostSpelling() {}

  /** The canonical host: a name, a dotted quad, or an IPv6 address without brackets. */
  static String canonical(String host) throws BadTarget {
    if (host.isEmpty()) {
      throw new BadTarget("the URL has no host; write it like https://example.com/hook");
    }
    if (host.startsWith("[")) {
      return ipv6(host);
    }
    String name = withoutTrailingDot(ascii(host));
    if (endsInNumber(name)) {
      if (!IpAddress.isIpv4(name)) {
        throw new BadTarget(
            "the host '"
                + name
                + "' is not a standard IPv4 address; write four decimal numbers like 203.0.113.7");
      }
      return name;
    }
    checkName(name);
    return name;
  }

  /** The address if the canonical host is one, else null. */
  public static @Nullable InetAddress address(String canonicalHost) {
    return IpAddress.parse(canonicalHost);
  }

  private static String ipv6(String host) throws BadTarget {
    if (!host.endsWith("]")) {
      throw new BadTarget("the IPv6 address has no closing bracket; write it like [2001:db8::1]");
    }
    String inner = host.substring(1, host.length() - 1);
    if (inner.indexOf('%') >= 0) {
      throw new BadTarget("an IPv6 zone id is not supported; remove '%' and the text after it");
    }
    if (inner.indexOf(':') < 0) {
      throw new BadTarget("brackets are allowed only around an IPv6 address; remove them");
    }
    InetAddress address = IpAddress.parse(inner);
    if (address == null) {
      throw new BadTarget("the host '" + host + "' is not a valid IPv6 address; correct it");
    }
    return address.getHostAddress(); // a mapped address becomes the IPv4 address that it is
  }

  private static String ascii(String host) throws BadTarget {
    boolean plain = host.chars().allMatch(c -> c < 0x80);
    try {
      return (plain ? host : IDN.toASCII(host)).toLowerCase(Locale.ROOT);
    } catch (IllegalArgumentException _) {
      throw new BadTarget(
          "the host is not a valid internationalized domain name; use its xn-- form");
    }
  }

  private static String withoutTrailingDot(String name) {
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }

  /** The rule by which browsers decide that a host is an IPv4 address. */
  private static boolean endsInNumber(String name) {
    String last = name.substring(name.lastIndexOf('.') + 1);
    if (last.startsWith("0x")) {
      return last.chars().skip(2).allMatch(c -> Character.digit(c, 16) >= 0);
    }
    return !last.isEmpty() && last.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static void checkName(String name) throws BadTarget {
    if (name.length() > MAX_NAME_LENGTH) {
      throw new BadTarget("the host is longer than " + MAX_NAME_LENGTH + " characters; shorten it");
    }
    for (String label : name.split("\\.", -1)) {
      if (label.isEmpty()) {
        throw new BadTarget("the host has an empty label; remove the extra dot");
      }
      if (label.length() > MAX_LABEL_LENGTH) {
        throw new BadTarget(
            "a label of the host is longer than " + MAX_LABEL_LENGTH + " characters; shorten it");
      }
      if (!label.chars().allMatch(HostSpelling::isNameCharacter)
          || label.startsWith("-")
          || label.endsWith("-")) {
        throw new BadTarget(
            "the host contains a character that is not allowed in host names; use letters,"
                + " digits, '-', '_' and '.'");
      }
    }
  }

  private static boolean isNameCharacter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  }
}
