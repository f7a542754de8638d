package dev.postrider.inbound;

import dev.postrider.id.Id;

/** Told about what came in; must be quick and must not throw. */
public interface InboundListener {
  default void rejected(Rejected rejected) {}

  /** Refused without being kept: unknown source, or too much at once. */
  default void turnedAway(String reason) {}

  /**
   * @param repeat the provider sent it again; nothing new was stored
   */
  default void accepted(Source source, Id messageId, boolean repeat) {}

  InboundListener NONE = new InboundListener() {};
}
