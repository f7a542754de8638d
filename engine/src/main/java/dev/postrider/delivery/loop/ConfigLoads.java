package dev.postrider.delivery.loop;

import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.id.Id;
import dev.postrider.storage.DatabaseUnavailable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Loads endpoint configurations in batches: one batch of an application at a time, with all
 * requests that arrived while the last one was loaded. When attempts of a thousand new lanes start
 * at once, a load for each would use all connections of the pool, and the processors of the
 * database, at the expense of other applications.
 */
final class ConfigLoads {
  /** Endpoints of one batch. */
  static final int BATCH = 64;

  private record Load(Id endpointId, CompletableFuture<@Nullable EndpointConfig> result) {}

  private final EndpointConfigs.Source source;

  /** By application; an entry means that a caller is loading for it. */
  private final ConcurrentHashMap<Id, Queue<Load>> waiting = new ConcurrentHashMap<>();

  ConfigLoads(EndpointConfigs.Source source) {
    this.source = source;
  }

  /** Null if the endpoint does not exist. */
  @Nullable EndpointConfig load(Id applicationId, Id endpointId) {
    Load own = new Load(endpointId, new CompletableFuture<>());
    if (add(applicationId, own)) {
      loadAll(applicationId);
    }
    try {
      return own.result().join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case RuntimeException failure -> throw failure;
        case Error failure -> throw failure;
        case null, default -> throw e;
      }
    }
  }

  /** True if no other caller is loading for this application: then the caller has to. */
  private boolean add(Id applicationId, Load load) {
    boolean[] first = new boolean[1];
    waiting.compute(
        applicationId,
        (_, known) -> {
          first[0] = known == null;
          Queue<Load> queue = known == null ? new ArrayDeque<>() : known;
          queue.add(load);
          return queue;
        });
    return first[0];
  }

  private void loadAll(Id applicationId) {
    for (List<Load> batch = next(applicationId); !batch.isEmpty(); batch = next(applicationId)) {
      load(applicationId, batch);
    }
  }

  /** Empty if nothing is left; from then on the next caller loads. */
  private List<Load> next(Id applicationId) {
    List<Load> batch = new ArrayList<>();
    waiting.computeIfPresent(
        applicationId,
        (_, queue) -> {
          while (batch.size() < BATCH && !queue.isEmpty()) {
            batch.add(queue.remove());
          }
          return batch.isEmpty() ? null : queue;
        });
    return batch;
  }

  /** Never throws: the failure is passed to the waiting callers. */
  private void load(Id applicationId, List<Load> batch) {
    Map<Id, EndpointConfig> found = new HashMap<>();
    try {
      source
          .load(applicationId, batch.stream().map(Load::endpointId).distinct().toList())
          .forEach(config -> found.put(config.endpointId().value(), config));
    } catch (RuntimeException | Error failure) {
      if (batch.size() == 1 || failure instanceof DatabaseUnavailable || failure instanceof Error) {
        batch.forEach(load -> load.result().completeExceptionally(failure));
      } else {
        // One unreadable configuration must not fail the others.
        batch.forEach(load -> load(applicationId, List.of(load)));
      }
      return;
    }
    batch.forEach(load -> load.result().complete(found.get(load.endpointId())));
  }
}
