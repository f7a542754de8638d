package dev.postrider.storage;

/**
 * Notifications between instances: "there is new work or a change". They carry no data and may be
 * lost; a slow poll is the fallback.
 */
public interface Signals extends AutoCloseable {

  /** Starts listening; the listener runs on a thread of this object and must be fast. */
  void start(Runnable onSignal);

  /** Notifies the other instances, soon and rate limited. */
  void notifyOthers();

  @Override
  void close();

  /** For a database that only one process can use. */
  Signals NONE =
      new Signals() {
        @Override
        public void start(Runnable onSignal) {}

        @Override
        public void notifyOthers() {}

        @Override
        public void close() {}
      };
}
