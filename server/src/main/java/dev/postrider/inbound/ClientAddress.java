package dev.postrider.inbound;

import dev.postrider.inbound.request.Headers;
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

  /** Whether the X-Forwarded-For and X-Real-IP headers of this peer are trusted. */
  public boolean isTrusted(String peer) {
    return Cidr.anyContains(trusted, peer);
  }

  /**
   * The last address in X-Forwarded-For that is not a trusted proxy: everything before it may be
   * forged. Without that header, the one address in X-Real-IP.
   */
  public String of(String peer, Headers headers) {
    if (!isTrusted(peer)) {
      return peer;
    }
    String forwarded = headers.joined("x-forwarded-for");
    if (forwarded == null) {
      // Joined: several values could be from several senders, and are not one address.
      String real = headers.joined("x-real-ip");
      return real == null || IpAddress.parse(real.strip()) == null ? peer : real.strip();
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
