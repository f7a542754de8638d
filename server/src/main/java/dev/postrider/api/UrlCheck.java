package dev.postrider.api;

import dev.postrider.delivery.http.AddressGuard;
import dev.postrider.delivery.http.BadTarget;
import dev.postrider.delivery.http.Target;
import dev.postrider.delivery.http.TargetRules;
import org.jspecify.annotations.Nullable;

/** Refuses URLs that no delivery could be sent to, before they are stored. */
@FunctionalInterface
public interface UrlCheck {

  /** What is wrong with the URL, with the fix; null if nothing is. */
  @Nullable String problem(String url);

  /** Vets the URL's form and every address of its host, as each send does again. */
  static UrlCheck vetting(TargetRules rules, AddressGuard guard) {
    return url -> {
      try {
        guard.vet(Target.parse(url, rules));
        return null;
      } catch (BadTarget e) {
        return String.valueOf(e.getMessage());
      }
    };
  }
}
