package dev.postrider.inbound.body;

import dev.postrider.id.Id;
import dev.postrider.inbound.request.Sha256;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.message.NewMessage.IdempotencyKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The stored form of the dedupe key of a source: 128 bits over the source and the key. */
public final class RepeatKeys {
  private static final byte[] SCOPE = "inbound ".getBytes(StandardCharsets.US_ASCII);

  private RepeatKeys() {}

  /**
   * The same key is the same event even if the bytes differ: a provider may serialize a duplicate
   * differently. So the key also takes the place of the body hash.
   */
  public static IdempotencyKey of(Source source, String key, SourceForm form, long nowMs) {
    Duration window = form.get(SourceFields.DEDUPE_WINDOW);
    return of(source, key, window == null ? null : nowMs + window.toMillis());
  }

  /** A tick of a cron source is one event, no matter which instance fires it. */
  public static IdempotencyKey ofTick(Source source, long tickMs, long untilMs) {
    return of(source, "tick " + tickMs, untilMs);
  }

  private static IdempotencyKey of(Source source, String key, @Nullable Long untilMs) {
    byte[] hash = Sha256.of(SCOPE, source.id().bytes(), key.getBytes(StandardCharsets.UTF_8));
    Id id = Id.ofBytes(Arrays.copyOf(hash, 16));
    return new IdempotencyKey(id, id, untilMs);
  }
}
