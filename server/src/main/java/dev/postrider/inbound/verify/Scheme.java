package dev.postrider.inbound.verify;

import dev.postrider.inbound.request.Extractor;
import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.verify.provider.SnsCertificates;
import dev.postrider.inbound.verify.verifier.SchemeOptions;
import dev.postrider.inbound.verify.verifier.Verifier;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A verification scheme: everything that its name in a configuration selects.
 *
 * @param options those of its own, and those of handshakes that every scheme has
 * @param unwrapping unwraps an event from its envelope
 * @param forwarded headers, in lower case, that tell its events apart and that handlers therefore
 *     get by default; never one with a secret or a signature
 * @param learnsSecret whether the provider sends the secret in its handshake
 */
public record Scheme(
    String name,
    Set<String> options,
    Function<Setup, Verifier> verifier,
    Function<SchemeOptions, List<Handshake>> ownHandshakes,
    Function<SchemeOptions, UnaryOperator<InboundRequest>> unwrapping,
    Extractor eventType,
    Extractor dedupe,
    Set<String> forwarded,
    boolean learnsSecret) {

  /** The scheme without verification. */
  static final String NONE = "none";

  /** The options and services from which a verifier is created. */
  record Setup(SchemeOptions options, SnsCertificates certificates) {}

  public Scheme {
    Set<String> all = new HashSet<>(options);
    all.addAll(Handshakes.OPTIONS);
    options = Set.copyOf(all);
    forwarded = Set.copyOf(forwarded);
  }

  List<Handshake> handshakes(SchemeOptions given) {
    return Stream.of(
            ownHandshakes.apply(given),
            Handshakes.configured(given),
            Handshakes.cloudEvents(given, !name.equals(NONE)))
        .flatMap(List::stream)
        .toList();
  }

  Scheme typed(Extractor type) {
    return new Scheme(
        name, options, verifier, ownHandshakes, unwrapping, type, dedupe, forwarded, learnsSecret);
  }

  Scheme deduped(Extractor key) {
    return new Scheme(
        name,
        options,
        verifier,
        ownHandshakes,
        unwrapping,
        eventType,
        key,
        forwarded,
        learnsSecret);
  }

  Scheme greeting(Function<SchemeOptions, Handshake> handshake) {
    return new Scheme(
        name,
        options,
        verifier,
        given -> List.of(handshake.apply(given)),
        unwrapping,
        eventType,
        dedupe,
        forwarded,
        learnsSecret);
  }

  Scheme forwarding(String... headers) {
    return new Scheme(
        name,
        options,
        verifier,
        ownHandshakes,
        unwrapping,
        eventType,
        dedupe,
        Set.of(headers),
        learnsSecret);
  }

  Scheme learningSecret() {
    return new Scheme(
        name, options, verifier, ownHandshakes, unwrapping, eventType, dedupe, forwarded, true);
  }

  Scheme unwrapped(Function<SchemeOptions, UnaryOperator<InboundRequest>> by) {
    return new Scheme(
        name, options, verifier, ownHandshakes, by, eventType, dedupe, forwarded, learnsSecret);
  }
}
