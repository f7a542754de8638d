package dev.postrider.task;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Json;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.Acceptor;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.tenant.Application;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends one message to each application. The idempotency key of each is derived from the id of the
 * task, so a step that is repeated after a crash creates no second message.
 */
final class Broadcast implements ApplicationPages.Each {
  private final Acceptor acceptor;

  Broadcast(Acceptor acceptor) {
    this.acceptor = acceptor;
  }

  @Override
  public List<@Nullable ObjectNode> of(Task task, List<Application> applications) {
    List<NewMessage> messages = new ArrayList<>();
    List<Application> active = new ArrayList<>();
    for (Application application : applications) {
      // Created before the task: applications created later are not included.
      if (application.spec().active()
          && application.id().value().compareTo(task.id().value()) < 0) {
        active.add(application);
        messages.add(message(task, application));
      }
    }
    List<@Nullable ObjectNode> made = new ArrayList<>();
    List<AcceptResult> results = messages.isEmpty() ? List.of() : acceptor.acceptAll(messages);
    for (int i = 0; i < results.size(); i++) {
      made.add(result(active.get(i), results.get(i)));
    }
    return made;
  }

  private static NewMessage message(Task task, Application application) {
    ObjectNode input = task.input();
    JsonNode eventId = input.path("eventId");
    JsonNode expires = input.path("expiresAt");
    JsonNode contentType = input.path("contentType");
    JsonNode deliverAt = input.path("deliverAt");
    JsonNode maxRetries = input.path("maxRetries");
    List<String> channels = new ArrayList<>();
    input.path("channels").valueStream().forEach(channel -> channels.add(channel.asString()));
    List<String> tags = new ArrayList<>();
    input.path("tags").valueStream().forEach(tag -> tags.add(tag.asString()));
    return new NewMessage(
        task.environmentId(),
        application.id().text(),
        input.path("eventType").asString(),
        eventId.isString() ? eventId.asString() : null,
        channels,
        tags,
        payload(input),
        contentType.isString() ? contentType.asString() : null,
        null,
        expires.isNumber() ? expires.asLong() : null,
        new NewMessage.Schedule(
            deliverAt.isNumber() ? deliverAt.asLong() : null,
            maxRetries.isNumber() ? maxRetries.asInt() : null),
        new NewMessage.IdempotencyKey(task.id().value(), task.id().value()));
  }

  /** Bytes that are not text are stored as base64. */
  private static byte[] payload(JsonNode input) {
    JsonNode bytes = input.path("payloadBytes");
    return bytes.isString()
        ? Base64.getDecoder().decode(bytes.asString())
        : input.path("payload").asString().getBytes(StandardCharsets.UTF_8);
  }

  private static @Nullable ObjectNode result(Application application, AcceptResult result) {
    ObjectNode node = Json.MAPPER.createObjectNode().put("appId", application.id().text());
    return switch (result) {
      case AcceptResult.Accepted accepted -> made(node, accepted.messageId().value());
      // Deleted or disabled meanwhile: it gets none.
      case AcceptResult.NoSuchApplication _, AcceptResult.ApplicationInactive _ -> null;
      case AcceptResult.EventIdTaken taken ->
          made(node, taken.first().value()).put("error", "the eventId was used before");
      case AcceptResult.KeyReused _ -> null;
      case AcceptResult.Unfit _ ->
          node.put("error", "the payload does not match the schema of the event type");
      case AcceptResult.Invalid invalid -> node.put("error", invalid.why());
      case AcceptResult.TooLarge large ->
          node.put("error", "the payload has more than " + large.maxBytes() + " bytes");
      // Retried with the same keys.
      case AcceptResult.TooMany _ ->
          throw new DatabaseUnavailable("the rate limit of the application is exceeded");
      case AcceptResult.Refused refused -> throw new DatabaseUnavailable(refused.why());
    };
  }

  private static ObjectNode made(ObjectNode node, Id message) {
    return node.put("msgId", message.text(IdKind.MESSAGE));
  }
}
