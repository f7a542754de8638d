package dev.postrider.message;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.MessageId;
import dev.postrider.json.Problem;
import java.time.Duration;
import java.util.List;

/** The result of accepting a message. */
public sealed interface AcceptResult {

  /**
   * The message is committed. If its idempotency key was used before, this is the first message
   * with the key, and nothing new was written.
   *
   * @param deliveries how many deliveries this call created, one for each endpoint and queue that
   *     is subscribed; filters are evaluated later
   * @param warnings where the payload does not match a schema that only warns
   */
  record Accepted(
      ApplicationId applicationId,
      MessageId messageId,
      boolean replayed,
      int deliveries,
      List<Problem> warnings)
      implements AcceptResult {
    public static Accepted first(ApplicationId applicationId, MessageId messageId, int deliveries) {
      return new Accepted(applicationId, messageId, false, deliveries, List.of());
    }

    public static Accepted replay(ApplicationId applicationId, MessageId messageId) {
      return new Accepted(applicationId, messageId, true, 0, List.of());
    }
  }

  record NoSuchApplication() implements AcceptResult {}

  record ApplicationInactive() implements AcceptResult {}

  /** Rejected: the application already has a message with this event id. */
  record EventIdTaken(MessageId first) implements AcceptResult {}

  /** Rejected: the idempotency key was used before with a different body. */
  record KeyReused() implements AcceptResult {}

  /** Rejected: the rate limit of the application is exceeded. Nothing was written. */
  record TooMany(int perSecond, Duration retryAfter) implements AcceptResult {}

  /** Rejected: the payload is larger than the application allows. */
  record TooLarge(int maxBytes) implements AcceptResult {}

  /**
   * Rejected because the server is overloaded or the database is unavailable. Nothing was written;
   * the caller may retry after the pause.
   */
  record Refused(String why, Duration retryAfter) implements AcceptResult {}

  /**
   * Rejected: the event type is unknown or archived, or the payload does not match its schema.
   * Nothing was written.
   */
  record Unfit(List<Problem> problems) implements AcceptResult {}

  /** Rejected: the database does not accept the values, so a retry would fail too. */
  record Invalid(String why) implements AcceptResult {}
}
