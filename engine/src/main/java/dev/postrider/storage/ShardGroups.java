package dev.postrider.storage;

import dev.postrider.id.Id;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The groups of applications whose rows a distributed PostgreSQL keeps on one node. Batches of
 * messages, leases, claims and results are formed within a group, so that no statement of the hot
 * path concerns two nodes. With one group, the default, every batch is for all applications.
 */
public record ShardGroups(int count) {
  public static final ShardGroups ONE = new ShardGroups(1);

  public ShardGroups {
    if (count < 1) {
      throw new IllegalArgumentException("there must be at least one shard group, not " + count);
    }
  }

  /** By the last 8 bytes of the id, as an unsigned number, modulo the number of groups. */
  public int of(Id applicationId) {
    return count == 1 ? 0 : (int) Long.remainderUnsigned(applicationId.lo(), count);
  }

  /** The entries of each group, in their order. */
  public <T> List<List<T>> split(List<T> entries, Function<T, Id> application) {
    if (count == 1 || entries.size() <= 1) {
      return entries.isEmpty() ? List.of() : List.of(entries);
    }
    Map<Integer, List<T>> groups = new LinkedHashMap<>();
    for (T entry : entries) {
      groups.computeIfAbsent(of(application.apply(entry)), _ -> new ArrayList<>()).add(entry);
    }
    return List.copyOf(groups.values());
  }
}
