package dev.postrider.queue;

import dev.postrider.id.Id;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A queue of an application's messages. */
public record Queue(Id id, Id applicationId, Spec spec, long createdAtMs, long updatedAtMs) {
  public static final Duration DEFAULT_VISIBILITY = Duration.ofSeconds(30);
  public static final Duration MIN_VISIBILITY = Duration.ofSeconds(1);
  public static final Duration MAX_VISIBILITY = Duration.ofHours(12);
  public static final int DEFAULT_ATTEMPTS = 5;
  public static final int MAX_ATTEMPTS = 1_000;

  /**
   * What a caller decides about it.
   *
   * @param name unique in the application
   * @param subscriptions event types, prefixes such as {@code invoice.*}; none means all
   * @param filter an expression; what it finds false is not handed out
   * @param maxAttempts how often a message is handed out before it is a dead letter
   */
  public record Spec(
      String name,
      String description,
      List<String> subscriptions,
      @Nullable String filter,
      Duration visibilityTimeout,
      int maxAttempts) {}

  /** How much it holds. */
  public record Depth(long waiting, long inFlight, long delayed, long deadLetters) {}
}
