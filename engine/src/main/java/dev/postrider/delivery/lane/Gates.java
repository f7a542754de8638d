package dev.postrider.delivery.lane;

import dev.postrider.id.Id;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A cache of the lanes that are closed now (paused, disabled, or with an open circuit). Deliveries
 * of such a lane that are leased but not sent yet are released (engine rule 14).
 */
public final class Gates {
  private record Closure(long untilMs, long mark) {
    Closure or(Closure later) {
      return new Closure(Math.max(untilMs, later.untilMs), later.mark);
    }
  }

  private final ConcurrentHashMap<Id, Closure> closures = new ConcurrentHashMap<>();
  private final AtomicLong marks = new AtomicLong();

  public void close(Id lane, long untilMs) {
    closures.merge(lane, new Closure(untilMs, marks.incrementAndGet()), Closure::or);
  }

  public void open(Id lane) {
    closures.remove(lane);
  }

  /** To be read before a claim reads the lanes, for {@link #openAsOf}. */
  public long mark() {
    return marks.get();
  }

  /**
   * The database reported after the mark that the lane is open: a closure from before is out of
   * date (another instance may have ended it), one from after is newer than the claim.
   */
  public void openAsOf(Id lane, long mark) {
    Closure closure = closures.get(lane);
    if (closure != null && closure.mark() <= mark) {
      closures.remove(lane, closure);
    }
  }

  public boolean isClosed(Id lane, long nowMs) {
    Closure closure = closures.get(lane);
    if (closure == null) {
      return false;
    }
    if (closure.untilMs() <= nowMs) {
      closures.remove(lane, closure);
      return false;
    }
    return true;
  }
}
