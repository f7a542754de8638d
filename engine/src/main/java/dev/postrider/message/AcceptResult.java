package dev.postrider.message;

import dev.postrider.id.Id;
import dev.postrider.json.Problem;
import java.time.Duration;
import java.util.List;

/** The result of accepting a message. */
public sealed interface AcceptResult {

  /**
   * Committed. A replay returns the first message of that idempotency key; nothing new was written.
   *
   * @param warnings where the payload does not match a schema that only warns
   */
  record Accepted(Id applicationId, Id messageId, boolean replayed, List<Problem> warnings)
      implements AcceptResult {
    public Accepted(Id applicationId, Id messageId, boolean replayed) {
      this(applicationId, messageId, replayed, List.of());
    }
  }

  record NoSuchApplication() implements AcceptResult {}

  record ApplicationInactive() implements AcceptResult {}

  /** The application already has a message with this event id. */
  record EventIdTaken(Id first) implements AcceptResult {}

  /** The idempotency key was used with another body. */
  record KeyReused() implements AcceptResult {}

  /** The rate limit of the application is exceeded; nothing was written. */
  record TooMany(int perSecond, Duration retryAfter) implements AcceptResult {}

  /** The payload is larger than the application allows. */
  record TooLarge(int maxBytes) implements AcceptResult {}

  /** Rejected with nothing written; the caller may retry after the pause. */
  record Refused(String why, Duration retryAfter) implements AcceptResult {}

  /** Its event type does not allow it; nothing was written. */
  record Unfit(List<Problem> problems) implements AcceptResult {}

  /** The database rejected the values, and a retry would not help. */
  record Invalid(String why) implements AcceptResult {}
}
