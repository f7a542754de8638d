package dev.postrider.storage;

import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The largest id up to which a reader misses nothing (engine rule 9). Ids are assigned before the
 * commit, so a smaller one may appear after a larger one. A writer of messages holds a {@link Span}
 * from before the first id until the result of the commit is known; no new id appears at or below
 * the watermark. Over several instances it is the lowest of what they have published, so an
 * instance that died holds it back until it is declared dead.
 *
 * <p>One thing is not covered: an instance that froze between planning and committing for so long
 * that the others declared it dead, and then commits.
 */
public final class CommitWatermark {
  /** A commit whose result is unknown may still succeed for as long as a statement may take. */
  static final Duration DOUBT =
      Duration.ofMillis(DedicatedConnection.STATEMENT_TIMEOUT_MS).plusSeconds(5);

  private final Ids ids;
  private final TimeSource time;
  private final Set<Span> open = ConcurrentHashMap.newKeySet();
  private volatile Id others;

  private CommitWatermark(Ids ids, TimeSource time, Id others) {
    this.ids = ids;
    this.time = time;
    this.others = others;
  }

  /** This process is the only writer of the database. */
  public static CommitWatermark alone(Ids ids, TimeSource time) {
    return new CommitWatermark(ids, time, Id.LARGEST);
  }

  /** Other instances write too: nothing is certain until {@link #othersAreAt} is called. */
  public static CommitWatermark shared(Ids ids, TimeSource time) {
    return new CommitWatermark(ids, time, Id.ZERO);
  }

  /** The largest id that a reader may read up to now; it never goes back. */
  public Id at() {
    return min(local(), others);
  }

  /**
   * The same for ids that share only the time of a message's, as those of deliveries do: what is
   * smaller is complete.
   */
  public Id before() {
    return Id.floorOf(at().epochMs());
  }

  /** The same for this instance alone: what it publishes. */
  public Id local() {
    // First: an id given after this is larger than it, and one given before has its span in the
    // set.
    Id lowest = ids.bound();
    long now = time.nanos();
    open.removeIf(span -> span.ended && now - span.doubtfulUntil >= 0);
    for (Span span : open) {
      lowest = min(lowest, span.above);
    }
    return lowest;
  }

  public void othersAreAt(Id lowest) {
    others = lowest;
  }

  private static Id min(Id one, Id other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  /** To be held from before the first id is assigned. */
  public Span begin() {
    Span span = new Span(ids.bound());
    open.add(span);
    return span;
  }

  /**
   * A range of ids that may not be committed yet; the watermark stays below it until it is closed.
   */
  public final class Span implements AutoCloseable {
    /** All ids of the span are larger. */
    private final Id above;

    private volatile boolean ended;
    private volatile long doubtfulUntil;

    private Span(Id above) {
      this.above = above;
    }

    /** All its ids are committed, or never will be. */
    public void settled() {
      open.remove(this);
    }

    /** Without {@link #settled}: a commit may still succeed, so it counts a while longer. */
    @Override
    public void close() {
      doubtfulUntil = time.nanos() + DOUBT.toNanos();
      ended = true;
    }
  }
}
