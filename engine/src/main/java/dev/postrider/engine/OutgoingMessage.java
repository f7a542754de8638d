package dev.postrider.engine;

import dev.postrider.id.ApplicationId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A message to be sent to the endpoints of an application.
 *
 * @param payload JSON, passed on exactly as given
 * @param eventId the id that the caller has chosen: a second message with the same id is not
 *     accepted
 * @param channels only endpoints of one of these channels receive the message; empty means all
 * @param deliverAt no attempt before this time; empty means now
 * @param maxRetries cuts the retry schedule of each delivery to so many retries
 */
public record OutgoingMessage(
    ApplicationId application,
    String eventType,
    String payload,
    Optional<String> eventId,
    List<String> channels,
    Optional<Instant> deliverAt,
    OptionalInt maxRetries) {
  public OutgoingMessage {
    channels = List.copyOf(channels);
    if (maxRetries.orElse(0) < 0) {
      throw new IllegalArgumentException(
          "maxRetries is " + maxRetries.getAsInt() + "; use 0 or more");
    }
  }

  public static OutgoingMessage of(ApplicationId application, String eventType, String payload) {
    return new OutgoingMessage(
        application,
        eventType,
        payload,
        Optional.empty(),
        List.of(),
        Optional.empty(),
        OptionalInt.empty());
  }

  public OutgoingMessage withEventId(String id) {
    return new OutgoingMessage(
        application, eventType, payload, Optional.of(id), channels, deliverAt, maxRetries);
  }

  public OutgoingMessage withChannels(List<String> names) {
    return new OutgoingMessage(
        application, eventType, payload, eventId, names, deliverAt, maxRetries);
  }

  public OutgoingMessage withDeliverAt(Instant time) {
    return new OutgoingMessage(
        application, eventType, payload, eventId, channels, Optional.of(time), maxRetries);
  }

  public OutgoingMessage withMaxRetries(int retries) {
    return new OutgoingMessage(
        application, eventType, payload, eventId, channels, deliverAt, OptionalInt.of(retries));
  }
}
