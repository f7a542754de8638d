package dev.postrider.net;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The networks that are not the public internet (IANA's special-purpose registries and service
 * addresses of clouds). For IPv6 only global unicast is public, minus exceptions.
 */
public final class SpecialNetworks {
  private record Named(Cidr network, String name) {}

  private static final List<Named> IPV4 =
      List.of(
          named("0.0.0.0/8", "this network"),
          named("10.0.0.0/8", "private"),
          named("100.64.0.0/10", "shared by carriers"),
          named("127.0.0.0/8", "loopback"),
          named("169.254.0.0/16", "link-local, cloud metadata"),
          named("172.16.0.0/12", "private"),
          named("192.0.0.0/24", "protocol assignments"),
          named("192.0.2.0/24", "documentation"),
          named("192.88.99.0/24", "6to4 relay"),
          named("192.168.0.0/16", "private"),
          named("198.18.0.0/15", "benchmarking"),
          named("198.51.100.0/24", "documentation"),
          named("203.0.113.0/24", "documentation"),
          named("224.0.0.0/4", "multicast"),
          named("240.0.0.0/4", "reserved, broadcast"),
          // A public number, but served by the Azure host itself to each of its machines.
          named("168.63.129.16/32", "cloud platform service"));

  private static final Cidr GLOBAL_UNICAST = Cidr.parse("2000::/3");
  private static final Cidr NAT64 = Cidr.parse("64:ff9b::/96");
  private static final Cidr TEREDO = Cidr.parse("2001::/32");
  private static final Cidr SIX_TO_FOUR = Cidr.parse("2002::/16");

  private static final List<Named> IPV6 =
      List.of(
          named("::/128", "unspecified"),
          named("::1/128", "loopback"),
          named("::/96", "IPv4-compatible"),
          named("64:ff9b:1::/48", "local translation"),
          named("100::/64", "discard only"),
          named("fc00::/7", "unique local"),
          named("fe80::/10", "link-local"),
          named("fec0::/10", "site-local"),
          named("ff00::/8", "multicast"),
          named("2001::/32", "Teredo tunnel"),
          named("2001::/23", "protocol assignments"),
          named("2001:db8::/32", "documentation"),
          named("2002::/16", "6to4 tunnel"),
          named("3fff::/20", "documentation"));

  private SpecialNetworks() {}

  /**
   * Why an address is not public, or null if it is or is in an allowed network.
   *
   * @param allowed special networks that count as public
   */
  public static @Nullable String refusal(byte[] address, List<Cidr> allowed) {
    List<byte[]> embedded = embeddedIn(address);
    if (!IpAddress.isMapped(address) && !Cidr.anyContains(allowed, address)) {
      String name = nameOf(address);
      if (name != null) {
        return name;
      }
    }
    for (byte[] inner : embedded) {
      String name = Cidr.anyContains(allowed, inner) ? null : nameOf(inner);
      if (name != null) {
        return name + ", embedded in an IPv6 address";
      }
    }
    return null;
  }

  /** The name of the special network that an address is in; null for a public one. */
  private static @Nullable String nameOf(byte[] address) {
    if (address.length == 4) {
      return nameIn(IPV4, address);
    }
    if (NAT64.contains(address)) {
      return null; // checked by the embedded IPv4 address: a DNS64 network reaches all of IPv4 this
      // way
    }
    String name = nameIn(IPV6, address);
    return name != null || GLOBAL_UNICAST.contains(address) ? name : "not global unicast";
  }

  /** The IPv4 addresses inside a mapped, compatible, translated or tunnelled IPv6 address. */
  private static List<byte[]> embeddedIn(byte[] address) {
    if (address.length == 4) {
      return List.of();
    }
    if (isZero(address, 0, 15) && address[15] <= 1 && address[15] >= 0) {
      return List.of(); // the unspecified address and the loopback, which have names of their own
    }
    if (isZero(address, 0, 10) && isMappedOrCompatible(address)) {
      return List.of(Arrays.copyOfRange(address, 12, 16));
    }
    if (NAT64.contains(address)) {
      return List.of(Arrays.copyOfRange(address, 12, 16));
    }
    if (SIX_TO_FOUR.contains(address)) {
      return List.of(Arrays.copyOfRange(address, 2, 6));
    }
    if (TEREDO.contains(address)) {
      return List.of(Arrays.copyOfRange(address, 4, 8), teredoClient(address));
    }
    return List.of();
  }

  private static boolean isMappedOrCompatible(byte[] address) {
    return IpAddress.isMapped(address) || isZero(address, 10, 12);
  }

  private static byte[] teredoClient(byte[] address) {
    byte[] client = Arrays.copyOfRange(address, 12, 16);
    for (int i = 0; i < client.length; i++) {
      client[i] = (byte) ~client[i];
    }
    return client;
  }

  private static boolean isZero(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable String nameIn(List<Named> networks, byte[] address) {
    for (Named special : networks) {
      if (special.network().contains(address)) {
        return special.name();
      }
    }
    return null;
  }

  private static Named named(String network, String name) {
    return new Named(Cidr.parse(network), name);
  }
}
