package dev.postrider.task;

import dev.postrider.delivery.store.RedriveStore;
import dev.postrider.delivery.store.RedriveStore.DeadLetters;
import dev.postrider.delivery.store.RedriveStore.DeadPage;
import dev.postrider.delivery.store.RedriveStore.DeadPlace;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Json;
import dev.postrider.time.TimeSource;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Requeues the dead letters that an application had when the task was created, of all its endpoints
 * and queues. It reads only dead letters, in the order in which they died.
 */
final class ApplicationRedriveWork implements TaskWork {
  static final int PAGE = 500;

  /** The resolution of ids. */
  private static final int TICK_MS = 4;

  private static final String EVENT_TYPES = "eventTypes";
  private static final String SINCE = "since";
  private static final String UNTIL = "until";

  private final RedriveStore store;
  private final WindowWork.Listeners listeners;
  private final TimeSource time;

  ApplicationRedriveWork(RedriveStore store, WindowWork.Listeners listeners, TimeSource time) {
    this.store = store;
    this.listeners = listeners;
    this.time = time;
  }

  /**
   * The input of such a task; a null time means no limit.
   *
   * @param eventTypes empty for all
   */
  static ObjectNode input(
      @Nullable Instant since, @Nullable Instant until, List<String> eventTypes) {
    ObjectNode input = Json.MAPPER.createObjectNode();
    if (since != null) {
      input.put(SINCE, since.toEpochMilli());
    }
    if (until != null) {
      input.put(UNTIL, until.toEpochMilli());
    }
    ArrayNode types = input.putArray(EVENT_TYPES);
    eventTypes.forEach(types::add);
    return input;
  }

  @Override
  public Step next(Task task) {
    DeadLetters which = which(task);
    return new Step() {
      private DeadPage page = new DeadPage(null, new TreeMap<>(), 0);

      @Override
      public Task.Progress write(Handle handle) {
        page =
            store.redriveDeadLetters(
                handle, task.application().value(), which, after(task), time.nowMs(), PAGE);
        return progress(task, page);
      }

      @Override
      public void committed() {
        page.redriven()
            .forEach(
                (lane, deliveries) ->
                    listeners.requeued(task.application(), lane.id(), lane.kind(), deliveries));
      }
    };
  }

  private static DeadLetters which(Task task) {
    ObjectNode input = task.input();
    return new DeadLetters(
        Id.floorOf(input.path(SINCE).asLong(0)),
        input.has(UNTIL) ? WindowWork.until(task) : afterCreation(task),
        input.path(EVENT_TYPES).valueStream().map(type -> type.asString()).toList(),
        task.id().value().epochMs() + TICK_MS);
  }

  private static Id afterCreation(Task task) {
    return Id.floorOf(task.id().value().epochMs() + TICK_MS);
  }

  private static DeadPlace after(Task task) {
    String cursor = task.progress().cursor();
    if (cursor == null) {
      return new DeadPlace(0, Id.ZERO);
    }
    int colon = cursor.indexOf(':');
    Id id = Id.parse(IdKind.DELIVERY, cursor.substring(colon + 1));
    return new DeadPlace(Long.parseLong(cursor.substring(0, colon)), id == null ? Id.ZERO : id);
  }

  private static Task.Progress progress(Task task, DeadPage page) {
    int sent = page.redriven().values().stream().mapToInt(List::size).sum();
    ObjectNode data = task.progress().data().deepCopy();
    data.put(WindowWork.SENT, data.path(WindowWork.SENT).asInt(0) + sent);
    data.put(WindowWork.SKIPPED, data.path(WindowWork.SKIPPED).asInt(0) + page.skipped());
    DeadPlace last = page.last();
    return new Task.Progress(
        last == null
            ? task.progress().cursor()
            : last.deadAtMs() + ":" + last.id().text(IdKind.DELIVERY),
        data,
        last == null);
  }
}
