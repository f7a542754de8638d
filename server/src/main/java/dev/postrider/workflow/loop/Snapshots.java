package dev.postrider.workflow.loop;

import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.StoredRun;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs as this instance has last committed them. One that another instance has changed since is
 * noticed by the compare-and-set.
 */
final class Snapshots {
  static final int CACHED = 5_000;

  private final Map<RunRef, StoredRun> runs =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RunRef, StoredRun> eldest) {
          return size() > CACHED;
        }
      };

  synchronized @Nullable StoredRun get(RunRef ref) {
    return runs.get(ref);
  }

  synchronized void put(StoredRun run) {
    runs.put(run.ref(), run);
  }

  synchronized void remove(RunRef ref) {
    runs.remove(ref);
  }
}
