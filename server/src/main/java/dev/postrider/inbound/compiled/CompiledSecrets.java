package dev.postrider.inbound.compiled;

import dev.postrider.endpoint.Subscription;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The decrypted secrets of a source, newest first. */
public final class CompiledSecrets {
  private final List<Active> others;
  private final Map<String, List<Active>> byEventType;

  /**
   * A secret, and when it expires.
   *
   * @param eventTypes the event type or prefix that it is for, or {@link SecretChange#ALL_OTHERS}
   */
  public record Active(String eventTypes, SourceSecret secret, @Nullable Long expiresAtMs) {}

  CompiledSecrets(List<Active> secrets) {
    Map<String, List<Active>> byName = new HashMap<>();
    secrets.forEach(
        active -> byName.computeIfAbsent(active.eventTypes(), _ -> new ArrayList<>()).add(active));
    List<Active> own = byName.remove(SecretChange.ALL_OTHERS);
    this.others = own == null ? List.of() : own;
    this.byEventType = byName;
  }

  public boolean dependOnEventType() {
    return !byEventType.isEmpty();
  }

  /** Those of events that have no secret of their own. */
  public List<SourceSecret> live(long nowMs) {
    return live(others, nowMs);
  }

  /**
   * Those of the event type, else of its longest prefix that has some, else the others.
   *
   * @param others from {@link #live}
   */
  public List<SourceSecret> ofEventType(String eventType, List<SourceSecret> others, long nowMs) {
    List<Active> exact = byEventType.get(eventType);
    if (exact != null) {
      return live(exact, nowMs);
    }
    for (String pattern : Subscription.textsMatching(eventType).reversed()) {
      List<Active> ofPrefix = byEventType.get(pattern);
      if (ofPrefix != null) {
        return live(ofPrefix, nowMs);
      }
    }
    return others;
  }

  private static List<SourceSecret> live(List<Active> secrets, long nowMs) {
    return secrets.stream()
        .filter(active -> active.expiresAtMs() == null || active.expiresAtMs() > nowMs)
        .map(Active::secret)
        .toList();
  }
}
