package dev.postrider.configfile;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Merges an overlay file into the configuration file: tables are merged key by key, all other
 * values are replaced, and an empty value removes the key.
 */
final class Overlay {
  private Overlay() {}

  static YamlValue.Table merge(YamlValue.Table base, YamlValue.Table over) {
    Map<String, YamlValue.Entry> merged = new LinkedHashMap<>(base.entries());
    over.entries()
        .forEach(
            (key, entry) -> {
              if (entry.value() instanceof YamlValue.Scalar scalar && scalar.isNothing()) {
                merged.remove(key);
              } else {
                merged.put(key, both(merged.get(key), entry));
              }
            });
    return new YamlValue.Table(base.place(), merged);
  }

  private static YamlValue.Entry both(YamlValue.@Nullable Entry below, YamlValue.Entry above) {
    if (below != null
        && below.value() instanceof YamlValue.Table lower
        && above.value() instanceof YamlValue.Table upper) {
      return new YamlValue.Entry(below.at(), merge(lower, upper));
    }
    return above;
  }
}
