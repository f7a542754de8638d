package dev.postrider.storage;

import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How far a reader by id may go without missing anything (engine rule 9). Ids are given before the
 * commit, so a smaller one may appear after a larger one. Whoever writes messages holds a {@link
 * Span} from before the first id until the commit is settled; no id at or below the horizon comes
 * any more. Over several instances it is the lowest of what they have published, so an instance
 * that died holds it back until it is buried.
 *
 * <p>One thing is not covered: an instance that froze between planning and committing for so long
 * that the others buried it, and then commits.
 */
public final class CommitWatermark {
  /** A commit whose answer was lost may come through as long as a statement may take. */
  static final Duration DOUBT =
      Duration.ofMillis(PostgresDedicatedConnection.STATEMENT_TIMEOUT_MS).plusSeconds(5);

  private final Ids ids;
  private final TimeSource time;
  private final Set<Span> open = ConcurrentHashMap.newKeySet();
  private volatile Id others;

  private CommitWatermark(Ids ids, TimeSource time, Id others) {
    this.ids = ids;
    this.time = time;
    this.others = others;
  }

  /** Nobody else writes to this database. */
  public static CommitWatermark alone(Ids ids, TimeSource time) {
    return new CommitWatermark(ids, time, new Id(-1, -1));
  }

  /** Others may write too: nothing is certain until {@link #othersAreAt} tells of them. */
  public static CommitWatermark shared(Ids ids, TimeSource time) {
    return new CommitWatermark(ids, time, Id.ZERO);
  }

  /** The largest id that a reader may go to, for now; it never goes back. */
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

  /** To be held from before the first id is given. */
  public Span begin() {
    Span span = new Span(ids.bound());
    open.add(span);
    return span;
  }

  /** Ids that may not have been committed yet. */
  public final class Span implements AutoCloseable {
    /** All ids of the span are larger. */
    private final Id above;

    private volatile boolean ended;
    private volatile long doubtfulUntil;

    private Span(Id above) {
      this.above = above;
    }

    /** Everything of it is committed, or never will be. */
    public void settled() {
      open.remove(this);
    }

    /** Without {@link #settled}: a commit may still come through, so it counts a while longer. */
    @Override
    public void close() {
      doubtfulUntil = time.nanos() + DOUBT.toNanos();
      ended = true;
    }
  }
}
