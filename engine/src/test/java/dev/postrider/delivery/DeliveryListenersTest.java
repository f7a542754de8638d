package dev.postrider.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DeliveryListenersTest {
  /** All of the interface, so that a new event cannot be forgotten. */
  static Stream<Method> events() {
    return Stream.of(DeliveryListener.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()));
  }

  @ParameterizedTest
  @MethodSource("events")
  void everyEventReachesEachListenerInOrder(Method event) throws Exception {
    List<String> heard = new ArrayList<>();
    DeliveryListeners listeners =
        new DeliveryListeners(listener("first", heard), listener("second", heard));
    listeners.add(listener("third", heard));

    event.invoke(listeners, arguments(event));

    assertThat(heard)
        .containsExactly(
            "first " + event.getName(), "second " + event.getName(), "third " + event.getName());
  }

  private static DeliveryListener listener(String name, List<String> heard) {
    return (DeliveryListener)
        Proxy.newProxyInstance(
            DeliveryListener.class.getClassLoader(),
            new Class<?>[] {DeliveryListener.class},
            (_, method, _) -> {
              heard.add(name + ' ' + method.getName());
              return null;
            });
  }

  private static Object[] arguments(Method event) {
    return Stream.of(event.getParameterTypes())
        .map(type -> type == int.class ? (Object) 1 : type == long.class ? (Object) 1L : null)
        .toArray();
  }
}
