package dev.postrider.testkit.builder;

import dev.postrider.id.Id;
import dev.postrider.message.NewMessage;
import dev.postrider.message.NewMessage.IdempotencyKey;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.Environment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message of the type {@code invoice.paid} without a key. */
public final class MessageBuilder {
  private final String application;
  private String eventType = "invoice.paid";
  private @Nullable String eventId;
  private List<String> channels = List.of();
  private List<String> tags = List.of();
  private byte[] payload = {'{', '}'};
  private @Nullable String contentType;
  private @Nullable String headers;
  private @Nullable Long deliverAtMs;
  private @Nullable Integer maxRetries;
  private @Nullable IdempotencyKey key;

  private MessageBuilder(String application) {
    this.application = application;
  }

  public static MessageBuilder aMessage(Application application) {
    return aMessage(Objects.requireNonNull(application.spec().uid()));
  }

  public static MessageBuilder aMessage(String application) {
    return new MessageBuilder(application);
  }

  public MessageBuilder type(String name) {
    eventType = name;
    return this;
  }

  public MessageBuilder eventId(@Nullable String id) {
    eventId = id;
    return this;
  }

  public MessageBuilder channels(String... names) {
    channels = List.of(names);
    return this;
  }

  public MessageBuilder tags(String... names) {
    tags = List.of(names);
    return this;
  }

  public MessageBuilder payload(String text) {
    return payload(text.getBytes(StandardCharsets.UTF_8));
  }

  public MessageBuilder payload(byte[] bytes) {
    payload = bytes;
    return this;
  }

  public MessageBuilder contentType(@Nullable String type) {
    contentType = type;
    return this;
  }

  /** As stored: a JSON object. */
  public MessageBuilder headers(@Nullable String json) {
    headers = json;
    return this;
  }

  public MessageBuilder deliverAtMs(@Nullable Long time) {
    deliverAtMs = time;
    return this;
  }

  public MessageBuilder maxRetries(int retries) {
    maxRetries = retries;
    return this;
  }

  public MessageBuilder key(@Nullable IdempotencyKey value) {
    key = value;
    return this;
  }

  public MessageBuilder key(Id hash, Id body) {
    return key(new IdempotencyKey(hash, body));
  }

  public NewMessage build() {
    return new NewMessage(
        Environment.DEFAULT_ID,
        application,
        eventType,
        eventId,
        channels,
        tags,
        payload,
        contentType,
        headers,
        null,
        new NewMessage.Schedule(deliverAtMs, maxRetries),
        key);
  }
}
