package dev.postrider.inbound;

import dev.postrider.event.Event;

/** The outcome of a request to a source; published after the commit, if there was one. */
public sealed interface InboundEvent extends Event {
  /** Rejected, and to be recorded. */
  record Rejected(RejectedRequest request) implements InboundEvent {}

  /**
   * Rejected without being recorded: unknown source, or a limit was exceeded.
   *
   * @param reason a value of the metric
   */
  record Unrecorded(String reason) implements InboundEvent {}

  /**
   * Accepted.
   *
   * @param source the name of the source
   * @param repeat the provider sent it again; nothing new was stored
   */
  record Accepted(String source, boolean repeat) implements InboundEvent {}
}
