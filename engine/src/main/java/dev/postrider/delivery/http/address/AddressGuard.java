package dev.postrider.delivery.http.address;

import dev.postrider.net.Cidr;
import dev.postrider.net.SpecialNetworks;
import dev.postrider.options.OptionNames.Option;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.apache.hc.client5.http.DnsResolver;
import org.jspecify.annotations.Nullable;

/**
 * Checks every address that a host resolves to; one forbidden address rejects the host, since the
 * caller does not choose which one a connection uses. It is the resolver of the HTTP client, so
 * connections are only possible to checked addresses, and a name that changes its address later is
 * checked again.
 */
public final class AddressGuard implements DnsResolver {
  private static final System.Logger LOG = System.getLogger(AddressGuard.class.getName());

  /**
   * The networks that the endpoint allows to which the current thread makes a request. They only
   * forbid more: what this guard forbids stays forbidden.
   */
  public static final ScopedValue<List<Cidr>> NETWORKS = ScopedValue.newInstance();

  private final TargetRules rules;
  private final NameLookup lookup;

  public AddressGuard(List<Cidr> allowed, NameLookup lookup) {
    this(new TargetRules(false, allowed), lookup);
  }

  public AddressGuard(TargetRules rules, NameLookup lookup) {
    this.rules = rules;
    this.lookup = lookup;
  }

  /**
   * Why no request may be sent to this target although its host may be connected to, or null.
   * Checked before each attempt, because a kept connection is not resolved again.
   */
  public @Nullable String refusal(Target target) {
    if (!rules.own().isHost(target.host()) || rules.own().is(target)) {
      return null;
    }
    InetAddress address = target.literal();
    String refusal = address == null ? null : refusal(address);
    return address == null || refusal == null ? null : message(target.host(), address, refusal);
  }

  /**
   * Checks a target before it is stored. A name that cannot be resolved now is accepted: it may be
   * set up later, and is checked at each connection anyway.
   *
   * @throws BadTarget if one of its addresses is forbidden
   */
  public void vet(Target target) throws BadTarget {
    String refusal = refusal(target);
    if (refusal != null) {
      throw new BadTarget(refusal);
    }
    Object owner = target.owner();
    try {
      if (owner == null) {
        resolve(target.host());
      } else {
        ScopedValue.where(NameLookup.OWNER, owner).call(() -> resolve(target.host()));
      }
    } catch (BlockedAddress refused) {
      throw new BadTarget(String.valueOf(refused.getMessage()));
    } catch (UnknownHostException _) {
      // Not a refusal.
    }
  }

  /**
   * The addresses of a host, all of them checked. Called by the HTTP client for each new
   * connection.
   */
  @Override
  public InetAddress[] resolve(String host) throws UnknownHostException {
    InetAddress[] addresses = guarded(host);
    if (NETWORKS.isBound()) {
      refuseOthers(host, addresses, NETWORKS.get());
    }
    return addresses;
  }

  /** One address that the endpoint does not allow rejects the host, too. */
  private static void refuseOthers(String host, InetAddress[] addresses, List<Cidr> networks)
      throws BlockedAddress {
    for (InetAddress address : addresses) {
      if (!Cidr.anyContains(networks, address)) {
        throw new BlockedAddress(
            HostSpelling.address(host) == null
                ? host + " has an address that is not in allowedIps of the endpoint"
                : host + " is not in allowedIps of the endpoint");
      }
    }
  }

  private InetAddress[] guarded(String host) throws UnknownHostException {
    InetAddress literal = HostSpelling.address(host);
    if (literal != null && rules.own().isHost(host)) {
      return new InetAddress[] {literal};
    }
    InetAddress[] addresses =
        literal == null ? lookup.addresses(host) : new InetAddress[] {literal};
    for (InetAddress address : addresses) {
      String refusal = refusal(address);
      if (refusal != null) {
        throw new BlockedAddress(message(host, address, refusal));
      }
    }
    return addresses;
  }

  @Override
  public String resolveCanonicalHostname(String host) {
    return host;
  }

  /** Why an address is forbidden, or null if it may be connected to. */
  public @Nullable String refusal(InetAddress address) {
    return SpecialNetworks.refusal(address.getAddress(), rules.allowed());
  }

  /** Does not reveal the internal addresses that a name resolves to. */
  private String message(String host, InetAddress address, String refusal) {
    String literal = address.getHostAddress();
    if (HostSpelling.address(host) == null) {
      LOG.log(
          Level.DEBUG,
          "{0} resolves to {1} ({2}), which is not an allowed target",
          host,
          literal,
          refusal);
      return host
          + " does not resolve to public addresses only; the operator can allow its network with "
          + rules.names().of(Option.ALLOW_TARGETS);
    }
    return literal
        + " is not a public address ("
        + refusal
        + "); to allow it, add its network to "
        + rules.names().of(Option.ALLOW_TARGETS)
        + ", like "
        + literal
        + (address.getAddress().length == 4 ? "/32" : "/128");
  }

  @Override
  public String toString() {
    return "AddressGuard" + rules.allowed();
  }
}
