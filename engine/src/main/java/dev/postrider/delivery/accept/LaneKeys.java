package dev.postrider.delivery.accept;

import dev.postrider.delivery.shape.Shaping;
import dev.postrider.endpoint.RouteTarget;
import dev.postrider.endpoint.Routing;
import dev.postrider.evaluation.EvaluationBusy;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.Value;
import dev.postrider.id.Id;
import dev.postrider.json.Json;
import dev.postrider.message.NewMessage;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The deduplication keys of endpoints and queues that have the field {@code dedupe}: the value that
 * its expression has for a message. {@link LaneKeyStatements} stores the keys and drops the
 * deliveries whose key is taken.
 */
public final class LaneKeys {
  private static final System.Logger LOG = System.getLogger(LaneKeys.class.getName());

  private final Shaping shaping;

  public LaneKeys(Expressions expressions) {
    this.shaping = new Shaping(expressions);
  }

  /**
   * The key of the message for an endpoint or queue, as stored: a hash of both. Null if the message
   * is not deduplicated. An expression that fails does not cost a delivery: then there is no key.
   */
  @Nullable Id of(
      Routing routing, RouteTarget target, NewMessage message, Id messageId, Id deliveryId) {
    String expression = target.dedupe();
    if (expression == null) {
      return null;
    }
    try {
      Value value =
          shaping.evaluate(
              new Shaping.Subject(
                  routing.applicationId(),
                  messageId,
                  deliveryId,
                  message.eventType(),
                  message.contentType(),
                  message.payload(),
                  message.headers(),
                  routing.uid() == null ? "" : routing.uid(),
                  null,
                  null),
              expression);
      String key = text(value);
      return key == null || key.isBlank() ? null : hash(target.endpointId(), key);
    } catch (ExpressionFailed | EvaluationBusy e) {
      LOG.log(
          Level.DEBUG,
          "the expression dedupe of {0} failed, the message is not deduplicated: {1}",
          target.endpointId(),
          e.getMessage());
      return null;
    }
  }

  private static @Nullable String text(Value value) {
    return switch (value) {
      case Value.Plain(Object plain)
          when plain instanceof Map<?, ?> || plain instanceof Collection<?> ->
          Json.MAPPER.writeValueAsString(plain);
      case Value.Plain(Object plain) -> plain == null ? null : String.valueOf(plain);
      case Value.Absent _, Value.Cancel _, Value.Request _ -> null;
    };
  }

  /** No other key of the table is a hash of bytes that begin like this. */
  private static Id hash(Id lane, String key) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update("dedupe of a lane".getBytes(StandardCharsets.UTF_8));
      digest.update(lane.bytes());
      digest.update(key.getBytes(StandardCharsets.UTF_8));
      return Id.ofBytes(Arrays.copyOf(digest.digest(), 16));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java runtime does not support SHA-256", e);
    }
  }
}
