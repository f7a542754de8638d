package dev.postrider.delivery.http.address;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The echo receiver of the server, so that a first delivery works without any configuration:
 * exactly one URL is exempt from the address guard and the https rule, no other path, port or host
 * of this machine.
 */
public final class OwnReceiver {
  private volatile @Nullable Target target;

  /** Makes this URL the one exempt target; called once the server knows its port. */
  public void open(String url) throws BadTarget {
    target = Target.parse(url, new TargetRules(false, List.of()));
  }

  boolean is(Target other) {
    Target own = target;
    return own != null && own.equals(other);
  }

  /**
   * Whether connections to this host are made for the receiver; the target is then checked before
   * each attempt.
   */
  boolean isHost(String host) {
    Target own = target;
    return own != null && own.host().equals(host);
  }
}
