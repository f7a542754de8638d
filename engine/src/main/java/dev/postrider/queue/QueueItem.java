package dev.postrider.queue;

import dev.postrider.id.DeliveryId;
import dev.postrider.id.MessageId;
import dev.postrider.id.RouteId;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A received message.
 *
 * @param version of the receive; part of the receipt
 * @param attempt how often it was received on its current schedule, including this time
 */
@SuppressWarnings("ArrayRecordComponent") // carried to the answer, never compared
public record QueueItem(
    DeliveryId deliveryId,
    MessageId messageId,
    int version,
    int attempt,
    String eventType,
    @Nullable String contentType,
    @Nullable String headers,
    byte @Nullable [] payload,
    String source,
    @Nullable Route route,
    @Nullable String sessionId,
    Instant visibleUntil) {

  /** The agent route of the message. */
  public record Route(
      RouteId id,
      String agentIntent,
      @Nullable String targetSession,
      Map<String, String> annotations) {}

  /**
   * A message in the response to a peek.
   *
   * @param handedOut whether a consumer has received it and its visibility timeout has not passed
   */
  public record Held(QueueItem item, boolean handedOut) {
    public String state(Instant now) {
      return !item.visibleUntil().isAfter(now) ? "waiting" : handedOut ? "in_flight" : "delayed";
    }
  }

  /**
   * The parsed form of a receipt, which a consumer sends to acknowledge a message: delivery and
   * lease version.
   */
  public record Receipt(DeliveryId deliveryId, int version) {
    public String text() {
      return deliveryId.text() + "." + version;
    }

    /** Null if the text is not a receipt. */
    public static @Nullable Receipt parse(String text) {
      int dot = text.lastIndexOf('.');
      if (dot < 0 || !text.substring(dot + 1).matches("[0-9]{1,9}")) {
        return null;
      }
      DeliveryId id = DeliveryId.parse(text.substring(0, dot));
      return id == null ? null : new Receipt(id, Integer.parseInt(text.substring(dot + 1)));
    }
  }

  public Receipt receipt() {
    return new Receipt(deliveryId, version);
  }
}
