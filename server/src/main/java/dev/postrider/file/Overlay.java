package dev.postrider.file;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lays one file over another: tables are merged key by key, everything else is replaced, and an
 * empty value removes the key.
 */
final class Overlay {
  private Overlay() {}

  static Value.Table merge(Value.Table base, Value.Table over) {
    Map<String, Value.Entry> merged = new LinkedHashMap<>(base.entries());
    over.entries()
        .forEach(
            (key, entry) -> {
              if (entry.value() instanceof Value.Scalar scalar && scalar.isNothing()) {
                merged.remove(key);
              } else {
                merged.put(key, both(merged.get(key), entry));
              }
            });
    return new Value.Table(base.place(), merged);
  }

  private static Value.Entry both(Value.@Nullable Entry below, Value.Entry above) {
    if (below != null
        && below.value() instanceof Value.Table lower
        && above.value() instanceof Value.Table upper) {
      return new Value.Entry(below.at(), merge(lower, upper));
    }
    return above;
  }
}
