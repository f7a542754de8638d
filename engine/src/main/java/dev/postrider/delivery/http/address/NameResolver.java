package dev.postrider.delivery.http.address;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Resolves a host name to IP addresses; a call may block for a long time. */
@FunctionalInterface
public interface NameResolver {

  InetAddress[] resolve(String host) throws UnknownHostException;

  /** The resolver of the operating system. */
  static NameResolver system() {
    return InetAddress::getAllByName;
  }
}
