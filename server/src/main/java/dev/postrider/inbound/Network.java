package dev.postrider.inbound;

import java.net.InetAddress;
import java.util.List;

/** An address, or all addresses behind one prefix: {@code 10.0.0.0/8}, {@code 127.0.0.1}. */
public record Network(InetAddress address, int prefix) {

  public static Network parse(String text) {
    int slash = text.indexOf('/');
    try {
      InetAddress address = InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash));
      int bits = address.getAddress().length * 8;
      int prefix = slash < 0 ? bits : Integer.parseInt(text.substring(slash + 1));
      if (prefix >= 0 && prefix <= bits) {
        return new Network(address, prefix);
      }
    } catch (IllegalArgumentException _) {
      // said below
    }
    throw new IllegalArgumentException(
        "\"" + text + "\" must be an IP address or CIDR, such as 10.0.0.0/8 or 127.0.0.1");
  }

  public boolean contains(InetAddress other) {
    byte[] mine = address.getAddress();
    byte[] its = other.getAddress();
    if (mine.length != its.length) {
      return false;
    }
    for (int bit = 0; bit < prefix; bit++) {
      int mask = 0x80 >> (bit % 8);
      if (((mine[bit / 8] ^ its[bit / 8]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Whether any of them has the address written so; false for what is not an address. */
  public static boolean anyContains(List<Network> networks, String address) {
    try {
      InetAddress parsed = InetAddress.ofLiteral(address);
      return networks.stream().anyMatch(network -> network.contains(parsed));
    } catch (IllegalArgumentException _) {
      return false;
    }
  }
}
