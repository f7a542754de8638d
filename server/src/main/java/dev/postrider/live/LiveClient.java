package dev.postrider.live;

import dev.postrider.id.Id;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client of the live feed, with a bounded buffer. A client that reads too slowly is disconnected
 * when its buffer is full; it may reconnect and resume.
 */
public final class LiveClient implements AutoCloseable {
  static final int BUFFER = 1_000;
  static final int REMEMBERED = 4_000;
  private static final int HISTORY_PAGE = 500;
  private static final long SLICE_MS = 250;

  private final LiveFeed feed;
  private final LiveStore store;
  private final LiveFilter filter;
  private final ArrayBlockingQueue<LiveEvent> buffer = new ArrayBlockingQueue<>(BUFFER);
  private final RecentIds sent = new RecentIds(REMEMBERED);
  private volatile boolean ended;
  private @Nullable Id historyFrom;

  LiveClient(LiveFeed feed, LiveStore store, LiveFilter filter, @Nullable Id after, Id from) {
    this.feed = feed;
    this.store = store;
    this.filter = filter;
    if (after != null) {
      sent.add(after);
      this.historyFrom = from;
    }
  }

  /** Called by the thread of the feed; never blocks. */
  void offer(LiveEvent event) {
    if (filter.takes(event) && !buffer.offer(event)) {
      ended = true;
    }
  }

  void end() {
    ended = true;
  }

  /** True when the buffer overflowed or the server stops; buffered events may still be read. */
  public boolean ended() {
    return ended && buffer.isEmpty();
  }

  /** The next events, each once; empty if there is none within that time. */
  public List<LiveEvent> next(Duration wait) throws InterruptedException {
    Id from = historyFrom;
    if (from != null) {
      return history(from);
    }
    List<LiveEvent> next = new ArrayList<>();
    LiveEvent first = null;
    // in slices, so that the end of the feed is noticed soon
    for (long left = wait.toMillis(); first == null && left > 0 && !ended; left -= SLICE_MS) {
      first = buffer.poll(SLICE_MS, TimeUnit.MILLISECONDS);
    }
    if (first != null) {
      next.add(first);
    }
    buffer.drainTo(next);
    return fresh(next);
  }

  private List<LiveEvent> history(Id from) {
    List<LiveEvent> page = store.after(from, HISTORY_PAGE);
    historyFrom = page.size() < HISTORY_PAGE ? null : page.getLast().id();
    return fresh(page.stream().filter(filter::takes).toList());
  }

  private List<LiveEvent> fresh(List<LiveEvent> events) {
    return events.stream().filter(event -> sent.add(event.id())).toList();
  }

  @Override
  public void close() {
    feed.leave(this);
  }
}
