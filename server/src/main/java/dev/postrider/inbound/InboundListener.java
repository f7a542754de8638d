package dev.postrider.inbound;

import dev.postrider.id.Id;
import dev.postrider.inbound.source.Source;
import java.util.List;

/** Notified of inbound requests; must be fast and must not throw. */
public interface InboundListener {
  default void rejected(RejectedRequest rejected) {}

  /** Rejected without being recorded: unknown source, or a limit was exceeded. */
  default void turnedAway(String reason) {}

  /**
   * @param repeat the provider sent it again; nothing new was stored
   */
  default void accepted(Source source, Id messageId, boolean repeat) {}

  InboundListener NONE = new InboundListener() {};

  /** Notifies all of them, in this order. */
  static InboundListener all(InboundListener... listeners) {
    List<InboundListener> all = List.of(listeners);
    return new InboundListener() {
      @Override
      public void rejected(RejectedRequest rejected) {
        all.forEach(listener -> listener.rejected(rejected));
      }

      @Override
      public void turnedAway(String reason) {
        all.forEach(listener -> listener.turnedAway(reason));
      }

      @Override
      public void accepted(Source source, Id messageId, boolean repeat) {
        all.forEach(listener -> listener.accepted(source, messageId, repeat));
      }
    };
  }
}
