package dev.postrider.delivery.http.address;

import dev.postrider.net.Cidr;
import java.net.InetAddress;
import java.util.List;

/**
 * The rules for a {@link Target}.
 *
 * @param requireHttps reject plain http, except to literal addresses in {@code allowed}
 * @param allowed the networks of POSTRIDER_ALLOW_TARGETS
 * @param own the one URL of this server that is exempt
 */
public record TargetRules(boolean requireHttps, List<Cidr> allowed, OwnReceiver own) {

  public TargetRules(boolean requireHttps, List<Cidr> allowed) {
    this(requireHttps, allowed, new OwnReceiver());
  }

  public TargetRules {
    allowed = List.copyOf(allowed);
  }

  boolean allows(InetAddress address) {
    return Cidr.anyContains(allowed, address);
  }
}
