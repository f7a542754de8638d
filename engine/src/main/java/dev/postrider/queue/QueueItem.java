package dev.postrider.queue;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message that was handed out.
 *
 * @param version of the hand-out; the receipt names it
 * @param attempt how often it was handed out on its current schedule, this time included
 */
@SuppressWarnings("ArrayRecordComponent") // carried to the answer, never compared
public record QueueItem(
    Id deliveryId,
    Id messageId,
    int version,
    int attempt,
    String eventType,
    @Nullable String contentType,
    @Nullable String headers,
    byte @Nullable [] payload,
    String source,
    @Nullable Route route,
    @Nullable String sessionId,
    long visibleUntilMs) {

  /** What its agent route says about it. */
  public record Route(
      Id id, String agentIntent, @Nullable String targetSession, Map<String, String> annotations) {}

  /**
   * One that is looked at and not taken: its hand-outs so far are counted, and what it says about
   * visibility is when it can be taken.
   *
   * @param handedOut whether a reader has it
   */
  public record Held(QueueItem item, boolean handedOut) {
    public String state(long nowMs) {
      return item.visibleUntilMs() <= nowMs ? "waiting" : handedOut ? "in_flight" : "delayed";
    }
  }

  /** What an acknowledgement names. */
  public record Receipt(Id deliveryId, int version) {
    public String text() {
      return deliveryId.text(IdKind.DELIVERY) + "." + version;
    }

    /** Null if the text is no receipt. */
    public static @Nullable Receipt parse(String text) {
      int dot = text.lastIndexOf('.');
      if (dot < 0 || !text.substring(dot + 1).matches("[0-9]{1,9}")) {
        return null;
      }
      Id id = Id.parse(IdKind.DELIVERY, text.substring(0, dot));
      return id == null ? null : new Receipt(id, Integer.parseInt(text.substring(dot + 1)));
    }
  }

  public Receipt receipt() {
    return new Receipt(deliveryId, version);
  }
}
