package dev.postrider.engine;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A message to be sent to the endpoints of an application.
 *
 * @param payload JSON, passed on exactly as given
 * @param eventId the id that the caller has chosen: a second message with the same id is not
 *     accepted
 * @param channels only endpoints of one of these channels receive the message; empty means all
 * @param deliverAt no attempt before this time; empty means now
 */
public record OutgoingMessage(
    ApplicationId application,
    String eventType,
    String payload,
    Optional<String> eventId,
    List<String> channels,
    Optional<Instant> deliverAt) {
  public OutgoingMessage {
    channels = List.copyOf(channels);
  }

  public static OutgoingMessage of(ApplicationId application, String eventType, String payload) {
    return new OutgoingMessage(
        application, eventType, payload, Optional.empty(), List.of(), Optional.empty());
  }

  public OutgoingMessage withEventId(String id) {
    return new OutgoingMessage(
        application, eventType, payload, Optional.of(id), channels, deliverAt);
  }

  public OutgoingMessage withChannels(List<String> names) {
    return new OutgoingMessage(application, eventType, payload, eventId, names, deliverAt);
  }

  public OutgoingMessage withDeliverAt(Instant time) {
    return new OutgoingMessage(
        application, eventType, payload, eventId, channels, Optional.of(time));
  }
}
