package dev.postrider.simulation;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * A piece of work that can stop in the middle and be gone on with later, on the same thread. What
 * is never gone on with is garbage, which is how a killed process ends. Made of the continuations
 * that virtual threads are made of; the tests' JVM exports their package.
 */
final class Coroutine {
  private static final MethodHandle CREATE;
  private static final MethodHandle RUN;
  private static final MethodHandle YIELD;

  static {
    try {
      Class<?> scopes = Class.forName("jdk.internal.vm.ContinuationScope");
      Class<?> continuations = Class.forName("jdk.internal.vm.Continuation");
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      Object scope = scopes.getConstructor(String.class).newInstance("simulation");
      CREATE =
          lookup
              .findConstructor(
                  continuations, MethodType.methodType(void.class, scopes, Runnable.class))
              .bindTo(scope)
              .asType(MethodType.methodType(Object.class, Runnable.class));
      RUN =
          lookup
              .findVirtual(continuations, "run", MethodType.methodType(void.class))
              .asType(MethodType.methodType(void.class, Object.class));
      YIELD =
          lookup
              .findStatic(continuations, "yield", MethodType.methodType(boolean.class, scopes))
              .bindTo(scope);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "the simulation needs --add-exports java.base/jdk.internal.vm=ALL-UNNAMED", e);
    }
  }

  private final Object continuation;

  Coroutine(Runnable work) {
    try {
      continuation = CREATE.invokeExact(work);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Goes on until the work stops itself or ends. */
  void run() {
    try {
      RUN.invokeExact(continuation);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Stops the coroutine that is running; it must not hold a monitor that another one may want. */
  static void stop() {
    try {
      boolean _ = (boolean) YIELD.invokeExact();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
