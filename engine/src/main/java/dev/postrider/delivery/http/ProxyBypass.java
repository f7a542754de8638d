package dev.postrider.delivery.http;

import dev.postrider.delivery.http.address.Target;
import dev.postrider.net.Cidr;
import dev.postrider.net.IpAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Targets that are called directly although there is an egress proxy: {@code hooks.internal} is
 * that host, {@code .internal} is every host below it, and an address or network matches every URL
 * with an IP address in it. Names are not resolved for that.
 */
public final class ProxyBypass {
  public static final ProxyBypass NONE = of(List.of());

  private final Set<String> hosts = new HashSet<>();
  private final List<String> suffixes = new ArrayList<>();
  private final List<Cidr> networks = new ArrayList<>();

  private ProxyBypass() {}

  public static ProxyBypass of(List<String> entries) {
    ProxyBypass bypass = new ProxyBypass();
    for (String entry : entries) {
      String text = entry.toLowerCase(Locale.ROOT);
      if (text.indexOf('/') >= 0 || text.indexOf(':') >= 0 || IpAddress.isIpv4(text)) {
        bypass.networks.add(Cidr.parse(text));
      } else if (text.startsWith(".")) {
        bypass.suffixes.add(text);
      } else {
        bypass.hosts.add(text);
      }
    }
    return bypass;
  }

  boolean isEmpty() {
    return hosts.isEmpty() && suffixes.isEmpty() && networks.isEmpty();
  }

  boolean covers(Target target) {
    InetAddress address = target.literal();
    return address != null
        ? Cidr.anyContains(networks, address)
        : hosts.contains(target.host()) || suffixes.stream().anyMatch(target.host()::endsWith);
  }
}
