package dev.postrider.storage;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Work that joins every write transaction that the current thread makes meanwhile, such as a mark
 * that they were made: it is committed with them or not at all.
 */
public final class TransactionParticipant {
  private static final ScopedValue<Database.Work<?>> CURRENT = ScopedValue.newInstance();

  private TransactionParticipant() {}

  /**
   * Runs the body with the companion. What the companion throws rolls back the transaction that it
   * joined.
   */
  public static <T extends @Nullable Object> T with(Database.Work<?> companion, Callable<T> body)
      throws Exception {
    return ScopedValue.where(CURRENT, companion).call(body::call);
  }

  /** The work, followed by the companion of this thread if it has one. */
  static <T extends @Nullable Object> Database.Work<T> joined(Database.Work<T> work) {
    if (!CURRENT.isBound()) {
      return work;
    }
    Database.Work<?> companion = CURRENT.get();
    return handle -> {
      T result = work.run(handle);
      companion.run(handle);
      return result;
    };
  }
}
