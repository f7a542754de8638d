package dev.postrider.event;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/**
 * The event bus of an engine: publishes events to listeners, in the order in which the listeners
 * were added.
 */
public final class EngineEvents implements EventPublisher {
  private final List<BiConsumer<Handle, Event>> inTransaction = new CopyOnWriteArrayList<>();
  private final List<Consumer<Event>> afterCommit = new CopyOnWriteArrayList<>();

  /**
   * Adds a listener that is called within the transaction of the change, and writes in it. If it
   * throws, the change is rolled back.
   *
   * @param type a class of events, or an interface that several implement
   */
  public <E extends Event> void inTransaction(
      Class<E> type, BiConsumer<Handle, ? super E> listener) {
    inTransaction.add(
        (handle, event) -> {
          if (type.isInstance(event)) {
            listener.accept(handle, type.cast(event));
          }
        });
  }

  /** Adds a listener that is called after the commit. It must be fast and must not throw. */
  public <E extends Event> void afterCommit(Class<E> type, Consumer<? super E> listener) {
    afterCommit.add(
        event -> {
          if (type.isInstance(event)) {
            listener.accept(type.cast(event));
          }
        });
  }

  @Override
  public void publish(Handle handle, Event event) {
    for (BiConsumer<Handle, Event> listener : inTransaction) {
      listener.accept(handle, event);
    }
  }

  @Override
  public void publish(Event event) {
    for (Consumer<Event> listener : afterCommit) {
      listener.accept(event);
    }
  }
}
