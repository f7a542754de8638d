package dev.postrider.event;

import org.jdbi.v3.core.Handle;

/** Publishes events, within their transaction and after their commit. */
public interface EventPublisher {
  /** Calls the listeners that write within the transaction of the handle. */
  void publish(Handle handle, Event event);

  /** Calls the listeners after the commit. */
  void publish(Event event);

  EventPublisher NONE =
      new EventPublisher() {
        @Override
        public void publish(Handle handle, Event event) {}

        @Override
        public void publish(Event event) {}
      };
}
