package dev.postrider.inbound.compiled;

import dev.postrider.inbound.body.BodySchema;
import dev.postrider.inbound.body.DedupeRule;
import dev.postrider.inbound.body.EventTypeRule;
import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.verify.Handshake;
import dev.postrider.inbound.verify.Schemes;
import dev.postrider.inbound.verify.verifier.Verifier;
import dev.postrider.net.Cidr;
import dev.postrider.net.HeaderNames;
import dev.postrider.schedule.CronSchedule;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A source ready for requests, with parsed rules and decrypted secrets. */
public record CompiledSource(
    Source source,
    Verifier verifier,
    List<Handshake> handshakes,
    UnaryOperator<InboundRequest> unwrapping,
    EventTypeRule eventType,
    DedupeRule dedupe,
    @Nullable BodySchema schema,
    List<Cidr> allowed,
    SecretHeaders secretHeaders,
    CompiledSecrets secrets,
    @Nullable CronSchedule cron) {

  /** Of a request's headers, those that handlers get by default, separated by commas. */
  public String forwarded(Set<String> names) {
    Set<String> known = Schemes.get(source.form().verify()).forwarded();
    return known.isEmpty()
        ? ""
        : names.stream()
            .map(name -> name.toLowerCase(Locale.ROOT))
            .filter(known::contains)
            .collect(Collectors.joining(","));
  }

  /**
   * Headers that are never stored, because they may carry credentials.
   *
   * @param secrets headers that carry the secret of the source, in lower case
   * @param signatures headers that carry a signature, in lower case
   */
  public record SecretHeaders(Set<String> secrets, Set<String> signatures) {
    public boolean has(String name) {
      String lower = name.toLowerCase(Locale.ROOT);
      return secrets.contains(lower)
          || (!signatures.contains(lower) && HeaderNames.soundsSecret(lower));
    }
  }
}
