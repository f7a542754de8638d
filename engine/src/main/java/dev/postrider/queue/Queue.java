package dev.postrider.queue;

import dev.postrider.field.Field;
import dev.postrider.field.FieldValues;
import dev.postrider.field.HasFields;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.QueueId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A pull queue of an application. */
public record Queue(
    QueueId id, ApplicationId applicationId, Spec spec, Instant createdAt, Instant updatedAt) {
  public static final Duration DEFAULT_VISIBILITY = Duration.ofSeconds(30);
  public static final Duration MIN_VISIBILITY = Duration.ofSeconds(1);
  public static final Duration MAX_VISIBILITY = Duration.ofHours(12);
  public static final int DEFAULT_ATTEMPTS = 5;
  public static final int MAX_ATTEMPTS = 1_000;

  /**
   * The fields of a queue that callers set.
   *
   * @param values the values of the {@link QueueFields}
   */
  public record Spec(FieldValues values) implements HasFields {
    /** A queue of everything. */
    public static Spec of(String name) {
      return new Spec(FieldValues.NONE).with(QueueFields.NAME, name);
    }

    /** The same with another value; null sets the default. */
    public <T> Spec with(Field<T> field, @Nullable T value) {
      return new Spec(values.with(field, value));
    }

    public String name() {
      return get(QueueFields.NAME);
    }

    public Duration visibilityTimeout() {
      return Duration.ofMillis(get(QueueFields.VISIBILITY_TIMEOUT_MS));
    }
  }

  /** The number of messages in a queue, by state. */
  public record Depth(long waiting, long inFlight, long delayed, long deadLetters) {}
}
