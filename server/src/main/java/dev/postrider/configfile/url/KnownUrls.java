package dev.postrider.configfile.url;

import dev.postrider.config.SecurityConfig;
import dev.postrider.config.Settings;
import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.delivery.http.address.NameLookup;
import dev.postrider.delivery.http.address.OwnReceiver;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.delivery.http.address.TargetRules;
import dev.postrider.net.Cidr;
import dev.postrider.time.SystemTime;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks a URL without network access: its syntax, plain http, and IP addresses that are not
 * public. Host names other than localhost are accepted.
 */
public final class KnownUrls implements AutoCloseable {
  private final NameLookup lookup =
      new NameLookup(KnownUrls::localhost, new SystemTime(), NameLookup.Limits.defaults());
  private final TargetRules rules;
  private final AddressGuard guard;

  /**
   * @param ownReceiver the URL of the server's echo receiver, which is exempt
   */
  public KnownUrls(SecurityConfig security, String ownReceiver) {
    List<Cidr> allowed = security.allowTargets().stream().map(Cidr::parse).toList();
    OwnReceiver own = new OwnReceiver();
    try {
      own.open(ownReceiver);
    } catch (BadTarget _) {
      // Then there is none, as on the server.
    }
    this.rules = new TargetRules(security.requireHttps(), allowed, own, Settings::nameOf);
    this.guard = new AddressGuard(rules, lookup);
    lookup.start();
  }

  private static InetAddress[] localhost(String host) throws UnknownHostException {
    if (!host.equals("localhost") && !host.endsWith(".localhost")) {
      throw new UnknownHostException(host);
    }
    return new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")};
  }

  /** What is wrong with a URL, with the fix; null if nothing is. */
  public @Nullable String problem(String url) {
    try {
      guard.vet(Target.parse(url, rules));
      return null;
    } catch (BadTarget e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Override
  public void close() {
    lookup.close();
  }
}
