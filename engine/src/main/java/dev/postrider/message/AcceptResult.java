package dev.postrider.message;

import dev.postrider.id.Id;
import dev.postrider.json.Problem;
import java.time.Duration;
import java.util.List;

/** What became of a message that was to be accepted. */
public sealed interface AcceptResult {

  /**
   * Committed. A replay returns the first message of that idempotency key; nothing new was written.
   *
   * @param warnings where the payload does not fit a schema that only warns
   */
  record Accepted(Id applicationId, Id messageId, boolean replayed, List<Problem> warnings)
      implements AcceptResult {
    public Accepted(Id applicationId, Id messageId, boolean replayed) {
      this(applicationId, messageId, replayed, List.of());
    }
  }

  record NoSuchApplication() implements AcceptResult {}

  record ApplicationInactive() implements AcceptResult {}

  /** The application has a message with this event id already. */
  record EventIdTaken(Id first) implements AcceptResult {}

  /** The idempotency key was used with another body. */
  record KeyReused() implements AcceptResult {}

  /** More messages in a second than the application may send; nothing was written. */
  record TooMany(int perSecond, Duration retryAfter) implements AcceptResult {}

  /** The payload is larger than the application may send. */
  record TooLarge(int maxBytes) implements AcceptResult {}

  /** Refused with nothing written; the caller may try again after the pause. */
  record Refused(String why, Duration retryAfter) implements AcceptResult {}

  /** Its event type does not allow it; nothing was written. */
  record Unfit(List<Problem> problems) implements AcceptResult {}

  /** The database did not take the values, and re-running would not help. */
  record Invalid(String why) implements AcceptResult {}
}
