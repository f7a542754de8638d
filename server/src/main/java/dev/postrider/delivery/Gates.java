package dev.postrider.delivery;

import dev.postrider.id.Id;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Lanes that this instance knows to be closed just now, so that what is leased but unsent is given
 * back (engine rule 14).
 */
public final class Gates {
  private final ConcurrentHashMap<Id, Long> closedUntil = new ConcurrentHashMap<>();

  public void close(Id lane, long untilMs) {
    closedUntil.merge(lane, untilMs, Math::max);
  }

  public void open(Id lane) {
    closedUntil.remove(lane);
  }

  /** The end of the closure, or 0 if the lane is open. */
  public long closedUntil(Id lane, long nowMs) {
    Long until = closedUntil.get(lane);
    if (until == null) {
      return 0;
    }
    if (until <= nowMs) {
      closedUntil.remove(lane, until);
      return 0;
    }
    return until;
  }
}
