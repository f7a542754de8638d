package dev.postrider.inbound;

import dev.postrider.inbound.body.BodySchema;
import dev.postrider.inbound.body.DedupeRule;
import dev.postrider.inbound.body.EventTypeRule;
import dev.postrider.inbound.cron.CronSchedule;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.source.SourceSecret;
import dev.postrider.inbound.verify.Handshake;
import dev.postrider.inbound.verify.Verifier;
import dev.postrider.net.Cidr;
import dev.postrider.net.HeaderNames;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A source ready for requests: everything that can be parsed, compiled or opened has been. */
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
    List<Live> secrets,
    @Nullable CronSchedule cron) {

  /** A secret, and until when it counts. */
  public record Live(SourceSecret secret, @Nullable Long expiresAtMs) {}

  /** Newest first. */
  List<SourceSecret> liveSecrets(long nowMs) {
    return secrets.stream()
        .filter(live -> live.expiresAtMs() == null || live.expiresAtMs() > nowMs)
        .map(Live::secret)
        .toList();
  }

  /**
   * Which headers are never stored: they may carry what proves an identity.
   *
   * @param secrets those in which the source's own secret arrives, in lower case
   * @param signatures those in which a signature arrives, whatever they are called
   */
  record SecretHeaders(Set<String> secrets, Set<String> signatures) {
    boolean has(String name) {
      String lower = name.toLowerCase(Locale.ROOT);
      return secrets.contains(lower)
          || (!signatures.contains(lower) && HeaderNames.soundsSecret(lower));
    }
  }
}
