package dev.postrider.workflow.loop;

import dev.postrider.id.Id;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.machine.HistoryRow;
import dev.postrider.workflow.store.RunRef;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values of histories, which never change, up to a number of bytes. */
final class ValueCache {
  private static final int OVERHEAD_BYTES = 200;

  private record Key(Id runId, int seq, ValueRef.Part part) {}

  private final long maxBytes;
  private final LinkedHashMap<Key, JsonValue> values = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  ValueCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  synchronized @Nullable JsonValue get(RunRef ref, int seq, ValueRef.Part part) {
    return values.get(new Key(ref.runId(), seq, part));
  }

  synchronized void put(RunRef ref, int seq, ValueRef.Part part, JsonValue value) {
    if (value.size() > maxBytes / 4) {
      return;
    }
    JsonValue before = values.put(new Key(ref.runId(), seq, part), value);
    bytes += size(value) - (before == null ? 0 : size(before));
    Iterator<Map.Entry<Key, JsonValue>> oldest = values.entrySet().iterator();
    while (bytes > maxBytes && oldest.hasNext()) {
      bytes -= size(oldest.next().getValue());
      oldest.remove();
    }
  }

  private static int size(JsonValue value) {
    return OVERHEAD_BYTES + value.size();
  }

  /** The rows were committed. */
  void put(RunRef ref, List<HistoryRow> rows) {
    for (HistoryRow row : rows) {
      JsonValue value = row.values().value();
      JsonValue data = row.values().data() == null ? value : row.values().data();
      if (value != null) {
        put(ref, row.seq(), ValueRef.Part.VALUE, value);
      }
      if (data != null) {
        put(ref, row.seq(), ValueRef.Part.DATA, data);
      }
    }
  }
}
