package dev.postrider.storage;

import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Code that runs in every write transaction of the current thread, such as an insert that marks the
 * request as executed. It is committed together with the transaction.
 */
public final class TransactionParticipant {
  private static final ScopedValue<Database.Work<?>> CURRENT = ScopedValue.newInstance();

  private static final Database.Work<?> NOBODY = _ -> true;

  private TransactionParticipant() {}

  /**
   * Runs the body with the participant. An exception of the participant rolls back the transaction
   * that it joined.
   */
  public static <T extends @Nullable Object> T with(Database.Work<?> companion, Callable<T> body)
      throws Exception {
    return ScopedValue.where(CURRENT, companion).call(body::call);
  }

  /** Runs the body without the participant: its transactions are not part of the request. */
  public static <T> T without(Supplier<T> body) {
    return ScopedValue.where(CURRENT, NOBODY).call(body::get);
  }

  /** The work, followed by the participant of this thread if it has one. */
  public static <T extends @Nullable Object> Database.Work<T> joined(Database.Work<T> work) {
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
