package dev.postrider.testkit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what is asked of connections: statements made, and transactions by hand. */
public final class CountedConnection {
  private final List<String> asked = new CopyOnWriteArrayList<>();

  public Connection around(Connection real) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "prepareStatement" ->
                    asked.add(((String) arguments[0]).strip().lines().findFirst().orElse(""));
                case "createStatement", "setAutoCommit", "commit", "rollback" ->
                    asked.add(method.getName());
                default -> {}
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** In order, and forgotten afterwards. */
  public List<String> take() {
    List<String> taken = List.copyOf(asked);
    asked.clear();
    return taken;
  }
}
