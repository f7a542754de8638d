package dev.postrider.config;

import dev.postrider.options.AcceptOptions;
import dev.postrider.options.BreakerOptions;
import dev.postrider.options.DeliveryOptions;
import dev.postrider.options.InstanceOptions;
import dev.postrider.options.RetentionOptions;
import java.time.Duration;
import java.util.Map;

/** Converts the values of the settings to the options of the engine. */
final class EngineOptionsReader {
  private EngineOptionsReader() {}

  static AcceptOptions accept(Values values) {
    Checks.notAbove(EngineSettings.ACCEPT_BATCH_ROWS, EngineSettings.ACCEPT_QUEUE_ROWS, values);
    Setting<Long> batchBytes = batchBytes(values);
    Checks.notAbove(batchBytes, EngineSettings.ACCEPT_QUEUE_BYTES, values);
    return new AcceptOptions(
        values.get(EngineSettings.ACCEPT_BATCH_ROWS),
        values.get(batchBytes),
        values.get(EngineSettings.ACCEPT_QUEUE_ROWS),
        values.get(EngineSettings.ACCEPT_QUEUE_BYTES),
        values.get(EngineSettings.IDEMPOTENCY_WINDOW),
        values.get(EngineSettings.IDEMPOTENCY_MAX_WINDOW));
  }

  /** A batch has at least room for one message of the maximum size. */
  private static Setting<Long> batchBytes(Values values) {
    boolean tooSmall =
        values.get(EngineSettings.ACCEPT_BATCH_BYTES) < values.get(ServerSettings.MAX_BODY);
    return tooSmall && values.isDefault(EngineSettings.ACCEPT_BATCH_BYTES)
        ? ServerSettings.MAX_BODY
        : EngineSettings.ACCEPT_BATCH_BYTES;
  }

  static BreakerOptions breaker(Values values) {
    Checks.notAbove(EngineSettings.BREAKER_COOLDOWN, EngineSettings.BREAKER_MAX_COOLDOWN, values);
    return new BreakerOptions(
        values.get(EngineSettings.BREAKER_FAILURES),
        values.get(EngineSettings.BREAKER_SPAN),
        values.get(EngineSettings.BREAKER_COOLDOWN),
        values.get(EngineSettings.BREAKER_MAX_COOLDOWN),
        values.get(EngineSettings.BREAKER_SUCCESSES),
        values.get(EngineSettings.BREAKER_COUNT_4XX),
        values.get(EngineSettings.DISABLE_AFTER));
  }

  static DeliveryOptions delivery(Values values) {
    Checks.notAbove(
        EngineSettings.MAX_IN_FLIGHT_PER_ENDPOINT, EngineSettings.MAX_IN_FLIGHT, values);
    return new DeliveryOptions(
        values.get(EngineSettings.RETRY_SCHEDULE),
        values.get(EngineSettings.REQUEST_TIMEOUT),
        values.get(EngineSettings.EVENT_TTL),
        new DeliveryOptions.Limits(
            values.get(EngineSettings.MAX_IN_FLIGHT),
            values.get(EngineSettings.MAX_IN_FLIGHT_PER_ENDPOINT),
            values.get(EngineSettings.MAX_LEASED_BYTES),
            values.get(EngineSettings.APPLICATION_SHARE),
            values.get(EngineSettings.SEND_RATE)),
        values.get(EngineSettings.MAX_ENDPOINTS),
        Math.toIntExact(values.get(EngineSettings.MAX_RESPONSE)),
        values.get(EngineSettings.EGRESS_PROXY),
        values.get(EngineSettings.EGRESS_NO_PROXY),
        values.get(EngineSettings.USER_AGENT),
        values.get(EngineSettings.SIGNATURE_HEADERS),
        values.get(EngineSettings.DEFAULT_SIGNATURE));
  }

  static InstanceOptions instance(Values values, Map<String, String> environment) {
    Duration heartbeat = values.get(ServerSettings.HEARTBEAT);
    Duration deadAfter = values.get(ServerSettings.DEAD_AFTER);
    if (deadAfter.toMillis() < InstanceOptions.MIN_HEARTBEATS_TO_DEATH * heartbeat.toMillis()) {
      throw new ConfigException(
          ServerSettings.DEAD_AFTER.variable()
              + " must be at least "
              + InstanceOptions.MIN_HEARTBEATS_TO_DEATH
              + " times "
              + ServerSettings.HEARTBEAT.variable()
              + ", so that one late heartbeat does not make a running instance count as dead: raise"
              + " the first setting or lower the second.");
    }
    String host = environment.getOrDefault("HOSTNAME", "");
    return new InstanceOptions(
        host.isBlank() ? "localhost" : host,
        heartbeat,
        deadAfter,
        values.get(ServerSettings.SHARD_GROUPS));
  }

  static RetentionOptions retention(Values values) {
    return new RetentionOptions(
        values.get(EngineSettings.RETENTION_DELIVERED),
        values.get(EngineSettings.RETENTION_DEAD_LETTERS),
        values.get(EngineSettings.RETENTION_UNROUTED),
        values.get(EngineSettings.RETENTION_AUDIT),
        values.get(EngineSettings.RETENTION_TIME));
  }
}
