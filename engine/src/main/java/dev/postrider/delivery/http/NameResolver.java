package dev.postrider.delivery.http;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Turns a host name into addresses; may block for long. */
@FunctionalInterface
public interface NameResolver {

  InetAddress[] resolve(String host) throws UnknownHostException;

  /** The machine's own resolver. */
  static NameResolver system() {
    return InetAddress::getAllByName;
  }
}
