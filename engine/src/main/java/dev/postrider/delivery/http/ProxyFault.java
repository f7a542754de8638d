package dev.postrider.delivery.http;

import dev.postrider.options.EgressProxyOptions;
import dev.postrider.options.OptionNames;
import java.io.IOException;

/**
 * Thrown when the egress proxy is unreachable or rejected our login. The failure does not count
 * against the target.
 */
final class ProxyFault extends IOException {
  private static final long serialVersionUID = 1;

  private final boolean connected;

  private ProxyFault(String message, boolean connected, IOException cause) {
    super(message, cause);
    this.connected = connected;
  }

  private ProxyFault(String message) {
    super(message);
    this.connected = true;
  }

  static ProxyFault unreachable(EgressProxyOptions proxy, IOException cause) {
    return new ProxyFault(
        "the egress proxy %s is unreachable: %s".formatted(proxy, Failures.detail(cause)),
        false,
        cause);
  }

  static ProxyFault broken(EgressProxyOptions proxy, IOException cause) {
    return new ProxyFault(
        "the egress proxy %s closed the connection: %s".formatted(proxy, Failures.detail(cause)),
        true,
        cause);
  }

  static ProxyFault unauthorized(EgressProxyOptions proxy, OptionNames names) {
    return new ProxyFault(
        "the egress proxy %s rejected the login%s: check the user and password in %s"
            .formatted(
                proxy,
                proxy.kind() == EgressProxyOptions.Kind.HTTP ? " (407)" : "",
                names.of(OptionNames.Option.EGRESS_PROXY)));
  }

  /** Whether there was a connection to the proxy. */
  boolean connected() {
    return connected;
  }
}
