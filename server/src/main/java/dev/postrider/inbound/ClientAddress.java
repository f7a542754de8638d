package dev.postrider.inbound;

import dev.postrider.net.Cidr;
import dev.postrider.net.IpAddress;
import java.util.List;

/** The client address of a request, as reported by trusted proxies. */
public final class ClientAddress {
  private static final int MAX_HOPS = 32;

  private final List<Cidr> trusted;

  public ClientAddress(List<String> trustedProxies) {
    this.trusted = trustedProxies.stream().map(Cidr::parse).toList();
  }

  /** Whether the X-Forwarded-For header of this peer is trusted. */
  public boolean isTrusted(String peer) {
    return Cidr.anyContains(trusted, peer);
  }

  /**
   * The last address in X-Forwarded-For that is not a trusted proxy: everything before it may be
   * forged.
   */
  public String of(String peer, Headers headers) {
    if (!isTrusted(peer)) {
      return peer;
    }
    String forwarded = headers.joined("x-forwarded-for");
    if (forwarded == null) {
      return peer;
    }
    String[] hops = forwarded.split(",", -1);
    String address = peer;
    for (int i = hops.length - 1; i >= 0 && hops.length - i <= MAX_HOPS; i--) {
      String hop = hops[i].strip();
      if (IpAddress.parse(hop) == null) {
        return address;
      }
      address = hop;
      if (!isTrusted(hop)) {
        return address;
      }
    }
    return address;
  }
}
