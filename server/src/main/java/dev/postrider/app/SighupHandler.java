package dev.postrider.app;

import java.lang.System.Logger.Level;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * Handles SIGHUP. Uses reflection, because the class for signals is not part of the Java standard.
 */
final class SighupHandler {
  private SighupHandler() {}

  /** From now on the work runs at each SIGHUP, on its own thread. */
  static void listen(Runnable work) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          Proxy.newProxyInstance(
              SighupHandler.class.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) ->
                  switch (method.getName()) {
                    case "handle" -> {
                      Thread.ofPlatform().name("sighup").daemon().start(work);
                      yield null;
                    }
                    case "equals" -> arguments != null && self == arguments[0];
                    case "hashCode" -> System.identityHashCode(self);
                    default -> "HangUp";
                  });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), proxy);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      Throwable cause = e instanceof InvocationTargetException target ? target.getCause() : e;
      System.getLogger(SighupHandler.class.getName())
          .log(
              Level.DEBUG,
              "SIGHUP is not available on this platform; use postrider apply to reload the"
                  + " configuration file: {0}",
              cause);
    }
  }
}
