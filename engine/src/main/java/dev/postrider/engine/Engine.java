package dev.postrider.engine;

import dev.postrider.engine.MessageRefused.Reason;
import dev.postrider.engine.services.EngineServices;
import dev.postrider.engine.wiring.EngineRuntime;
import dev.postrider.id.MessageId;
import dev.postrider.json.Json;
import dev.postrider.json.Problem;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.tenant.Environment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;

/**
 * The engine: accepts messages and delivers them. Create it with {@link #builder()}, then call
 * {@code start} and, at the end, {@code close}.
 */
public final class Engine implements AutoCloseable {
  private final EngineRuntime runtime;
  private final Applications applications;
  private final Endpoints endpoints;
  private final Deliveries deliveries;

  Engine(EngineRuntime runtime) {
    this.runtime = runtime;
    EngineServices services = runtime.services();
    this.applications = new Applications(services.tenants());
    this.endpoints = new Endpoints(services);
    this.deliveries = new Deliveries(services.storage().database());
  }

  public static EngineBuilder builder() {
    return new EngineBuilder();
  }

  /** Starts everything; when this returns, messages can be accepted. */
  public void start() {
    runtime.start();
  }

  /**
   * Stores a message and returns after the commit; deliveries start at once.
   *
   * @throws MessageRefused if it was not stored
   */
  public SentMessage send(OutgoingMessage message) {
    byte[] payload = message.payload().getBytes(StandardCharsets.UTF_8);
    checkJson(payload);
    return sent(
        runtime
            .services()
            .messages()
            .acceptor()
            .accept(
                new NewMessage(
                    Environment.DEFAULT_ID,
                    message.application().text(),
                    message.eventType(),
                    message.eventId().orElse(null),
                    message.channels(),
                    List.of(),
                    payload,
                    null,
                    null,
                    null,
                    new NewMessage.Schedule(
                        message.deliverAt().map(Instant::toEpochMilli).orElse(null),
                        message.maxRetries().stream().boxed().findFirst().orElse(null)),
                    null)));
  }

  private static void checkJson(byte[] payload) {
    try {
      Json.MAPPER.readTree(payload);
    } catch (JacksonException e) {
      throw new MessageRefused(
          Reason.INVALID,
          "the payload is not valid JSON: " + e.getOriginalMessage(),
          Optional.empty());
    }
  }

  private static SentMessage sent(AcceptResult result) {
    return switch (result) {
      case AcceptResult.Accepted accepted ->
          new SentMessage(new MessageId(accepted.messageId().value()), accepted.replayed());
      case AcceptResult.EventIdTaken(var first) ->
          new SentMessage(new MessageId(first.value()), true);
      case AcceptResult.NoSuchApplication() ->
          throw refused(Reason.UNKNOWN_APPLICATION, "the application was not found");
      case AcceptResult.ApplicationInactive() ->
          throw refused(Reason.INACTIVE_APPLICATION, "the application is inactive");
      case AcceptResult.TooMany(int perSecond, Duration retryAfter) ->
          throw new MessageRefused(
              Reason.RATE_LIMITED,
              "rate limit exceeded: the application may send %d messages per second"
                  .formatted(perSecond),
              Optional.of(retryAfter));
      case AcceptResult.TooLarge(int maxBytes) ->
          throw refused(
              Reason.PAYLOAD_TOO_LARGE, "the payload has more than %d bytes".formatted(maxBytes));
      case AcceptResult.Refused(String why, Duration retryAfter) ->
          throw new MessageRefused(Reason.UNAVAILABLE, why, Optional.of(retryAfter));
      case AcceptResult.Unfit(var problems) ->
          throw refused(
              Reason.INVALID,
              problems.stream().map(Problem::toString).collect(Collectors.joining("; ")));
      case AcceptResult.Invalid(String why) -> throw refused(Reason.INVALID, why);
      case AcceptResult.KeyReused() ->
          throw new IllegalStateException("an idempotency key is required");
    };
  }

  private static MessageRefused refused(Reason reason, String message) {
    return new MessageRefused(reason, message, Optional.empty());
  }

  public Applications applications() {
    return applications;
  }

  public Endpoints endpoints() {
    return endpoints;
  }

  public Deliveries deliveries() {
    return deliveries;
  }

  /** Whether the engine accepts messages and its database is available. */
  public boolean isHealthy() {
    return runtime.services().status().isHealthy();
  }

  /** Accepts no further messages and starts no further attempts; those in progress continue. */
  public void stopTakingWork() {
    runtime.stopTakingWork();
  }

  /** Waits until everything in progress has finished, or the limit of 20 seconds has passed. */
  public void drain() {
    runtime.drain();
  }

  /**
   * An internal type, like {@link java.sql.Wrapper#unwrap}: for the server, to which these types
   * are exported.
   */
  public <T> T unwrap(Class<T> type) {
    if (type.isInstance(runtime)) {
      return type.cast(runtime);
    }
    if (type.isInstance(runtime.services())) {
      return type.cast(runtime.services());
    }
    throw new IllegalArgumentException("the engine does not have " + type.getName());
  }

  /** Drains and stops. Attempts that take longer than 20 seconds are rescued later. */
  @Override
  public void close() {
    runtime.close();
  }
}
