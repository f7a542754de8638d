package dev.postrider.delivery.http.address;

import dev.postrider.net.Cidr;
import dev.postrider.options.OptionNames;
import java.net.InetAddress;
import java.util.List;

/**
 * The rules for a {@link Target}.
 *
 * @param requireHttps reject plain http, except to literal addresses in {@code allowed}
 * @param allowed networks that are allowed although they are not public
 * @param own the built-in receiver of this server, which may be contacted although its address is
 *     private
 * @param names how messages name the options behind these rules
 */
public record TargetRules(
    boolean requireHttps, List<Cidr> allowed, OwnReceiver own, OptionNames names) {

  public TargetRules(boolean requireHttps, List<Cidr> allowed) {
    this(requireHttps, allowed, new OwnReceiver(), OptionNames.OF_LIBRARY);
  }

  public TargetRules {
    allowed = List.copyOf(allowed);
  }

  boolean allows(InetAddress address) {
    return Cidr.anyContains(allowed, address);
  }
}
