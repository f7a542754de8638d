package dev.postrider.event;

import java.util.LinkedHashSet;
import java.util.SequencedSet;
import org.jdbi.v3.core.Handle;

/**
 * Publishes the events of several changes in one transaction: listeners in the transaction are
 * called at once, those after the commit when {@link #release} is called. Used by one thread.
 */
public final class DeferredEvents implements EventPublisher {
  private final EventPublisher target;
  private final SequencedSet<Event> waiting = new LinkedHashSet<>();

  public DeferredEvents(EventPublisher target) {
    this.target = target;
  }

  @Override
  public void publish(Handle handle, Event event) {
    target.publish(handle, event);
  }

  @Override
  public void publish(Event event) {
    waiting.addLast(event); // of equal events, the last counts
  }

  /** The transaction has been committed. */
  public void release() {
    waiting.forEach(target::publish);
    waiting.clear();
  }
}
