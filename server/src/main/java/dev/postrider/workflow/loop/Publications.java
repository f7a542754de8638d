package dev.postrider.workflow.loop;

import dev.postrider.id.Id;
import dev.postrider.json.Json;
import dev.postrider.message.MessagePublisher;
import dev.postrider.message.NewMessage;
import dev.postrider.workflow.machine.RunEffect;
import tools.jackson.databind.node.ObjectNode;

/** Plans the messages of {@code send} steps. */
public final class Publications {
  /** The header of a message with the number of send steps that led to it. */
  private static final String CAUSATION = ":causation";

  private final MessagePublisher publisher;

  public Publications(MessagePublisher publisher) {
    this.publisher = publisher;
  }

  MessagePublisher publisher() {
    return publisher;
  }

  MessagePublisher.Outcome plan(String environmentId, RunEffect.Outgoing message, Id id) {
    ObjectNode headers = Json.MAPPER.createObjectNode();
    headers.put(CAUSATION, message.causation());
    return publisher.plan(
        new NewMessage(
            environmentId,
            message.application(),
            message.eventType(),
            message.eventId(),
            message.channels(),
            message.tags(),
            message.payload().bytes(),
            null,
            headers.toString(),
            null,
            NewMessage.Schedule.NONE,
            null),
        id);
  }
}
