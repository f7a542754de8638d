package dev.postrider.storage;

/**
 * Wake-ups between instances: "there is work or news". They carry nothing and may be lost; a slow
 * poll is the safety net.
 */
public interface Signals extends AutoCloseable {

  /** Starts listening; the listener runs on a thread of this object and must be quick. */
  void start(Runnable onSignal);

  /** Tells the other instances, soon and not too often. */
  void tellOthers();

  @Override
  void close();

  /** For a database that only one process can use. */
  Signals NONE =
      new Signals() {
        @Override
        public void start(Runnable onSignal) {}

        @Override
        public void tellOthers() {}

        @Override
        public void close() {}
      };
}
