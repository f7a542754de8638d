package dev.postrider.inbound;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * All that one name in a configuration stands for.
 *
 * @param options those of its own; the handshake of CloudEvents adds two that every scheme has
 * @param learnsSecret whether the provider itself gives the secret, in its handshake
 */
record Scheme(
    String name,
    Set<String> options,
    Function<Setup, Verifier> verifier,
    Function<SchemeOptions, List<Handshake>> ownHandshakes,
    Extractor eventType,
    Extractor dedupe,
    boolean learnsSecret) {

  /** What a verifier is made of. */
  record Setup(SchemeOptions options, SnsCertificates certificates) {}

  Scheme {
    Set<String> all = new HashSet<>(options);
    all.add(Handshakes.ALLOWED_ORIGINS);
    all.add(Handshakes.ALLOWED_RATE);
    options = Set.copyOf(all);
  }

  List<Handshake> handshakes(SchemeOptions given) {
    return Handshakes.both(ownHandshakes.apply(given), Handshakes.cloudEvents(given));
  }

  Scheme typed(Extractor type) {
    return new Scheme(name, options, verifier, ownHandshakes, type, dedupe, learnsSecret);
  }

  Scheme deduped(Extractor key) {
    return new Scheme(name, options, verifier, ownHandshakes, eventType, key, learnsSecret);
  }

  Scheme greeting(Function<SchemeOptions, Handshake> handshake) {
    return new Scheme(
        name,
        options,
        verifier,
        given -> List.of(handshake.apply(given)),
        eventType,
        dedupe,
        learnsSecret);
  }

  Scheme learningSecret() {
    return new Scheme(name, options, verifier, ownHandshakes, eventType, dedupe, true);
  }
}
