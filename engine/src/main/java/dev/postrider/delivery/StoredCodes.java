package dev.postrider.delivery;

import dev.postrider.delivery.http.OutcomeClass;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names of the codes that rows store: the status of a delivery, the outcome of an attempt and
 * the circuit of a lane.
 */
public final class StoredCodes {
  private static final Pattern NAME = Pattern.compile("\\{([A-Z_]+)(?:/([A-Z_]+))?}");

  private static final Map<String, Integer> BY_NAME = byName();

  private StoredCodes() {}

  /**
   * The statement with the code of each name in braces: {@code status = {SENDING}} becomes {@code
   * status = 1}, {@code outcome <> {VOID}} becomes {@code outcome <> 8}. So a statement names what
   * it means without one more parameter to bind, and the planner sees the condition of a partial
   * index. {@code {PENDING/CLAIM}} is the status that follows from the event CLAIM in the status
   * PENDING, by the transition table.
   */
  public static String sql(String statement) {
    return NAME.matcher(statement)
        .replaceAll(name -> Integer.toString(code(name.group(1), name.group(2))));
  }

  private static int code(String name, @Nullable String event) {
    return event == null
        ? code(name)
        : Transitions.next(DeliveryStatus.valueOf(name), DeliveryEvent.valueOf(event)).code();
  }

  private static int code(String name) {
    Integer code = BY_NAME.get(name);
    if (code == null) {
      throw new IllegalArgumentException(
          "{" + name + "} is not the name of a status, an outcome or a circuit");
    }
    return code;
  }

  private static Map<String, Integer> byName() {
    Map<String, Integer> codes = new HashMap<>();
    for (DeliveryStatus status : DeliveryStatus.values()) {
      add(codes, status, status.code());
    }
    for (OutcomeClass outcome : OutcomeClass.values()) {
      add(codes, outcome, outcome.code());
    }
    for (Circuit circuit : Circuit.values()) {
      add(codes, circuit, circuit.code());
    }
    return Map.copyOf(codes);
  }

  private static void add(Map<String, Integer> codes, Enum<?> constant, int code) {
    if (codes.put(constant.name(), code) != null) {
      throw new IllegalStateException(constant.name() + " is the name of two codes");
    }
  }
}
