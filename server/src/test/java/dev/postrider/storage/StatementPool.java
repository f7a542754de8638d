package dev.postrider.storage;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A connection that keeps its prepared statements: preparing them is most of what small statements
 * on a small database cost.
 */
final class StatementPool implements InvocationHandler {
  private final Connection connection;
  private final Map<List<Object>, Deque<PreparedStatement>> idle = new HashMap<>();

  private StatementPool(Connection connection) {
    this.connection = connection;
  }

  static Connection over(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            StatementPool.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            new StatementPool(connection));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (!method.getName().equals("prepareStatement") || arguments == null) {
      return call(connection, method, arguments);
    }
    List<Object> key = List.of(arguments);
    Deque<PreparedStatement> kept = idle.computeIfAbsent(key, _ -> new ArrayDeque<>());
    PreparedStatement statement =
        kept.isEmpty()
            ? (PreparedStatement) call(connection, method, arguments)
            : kept.removeLast();
    return Proxy.newProxyInstance(
        StatementPool.class.getClassLoader(),
        new Class<?>[] {PreparedStatement.class},
        (self, called, given) -> {
          if (called.getName().equals("close")) {
            if (!kept.contains(statement)) {
              statement.clearParameters();
              statement.clearBatch();
              kept.add(statement);
            }
            return null;
          }
          return call(statement, called, given);
        });
  }

  private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
