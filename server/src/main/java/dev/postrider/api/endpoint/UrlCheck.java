package dev.postrider.api.endpoint;

import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.delivery.http.address.TargetRules;
import org.jspecify.annotations.Nullable;

/** Rejects URLs that are not allowed as targets, before they are stored. */
@FunctionalInterface
public interface UrlCheck {

  /**
   * The URL in its canonical spelling.
   *
   * @param owner on whose share its name is looked up: the application's id, or the environment
   * @throws BadTarget if no delivery could be sent to it; the message names the problem and the fix
   */
  String canonical(Object owner, String url) throws BadTarget;

  /** The problem of the URL, with the fix; null if there is none. */
  default @Nullable String problem(Object owner, String url) {
    try {
      String _ = canonical(owner, url);
      return null;
    } catch (BadTarget e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Checks the syntax of the URL and every address of its host, as each send does again. */
  static UrlCheck vetting(TargetRules rules, AddressGuard guard) {
    return (owner, url) -> {
      Target target = Target.parse(url, rules).ownedBy(owner);
      guard.vet(target);
      return target.url();
    };
  }
}
