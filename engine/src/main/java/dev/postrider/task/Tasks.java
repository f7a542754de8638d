package dev.postrider.task;

import dev.postrider.event.EventPublisher;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Ids;
import dev.postrider.id.TaskId;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Starts background tasks on behalf of callers. */
public final class Tasks {
  private final TaskStore store;
  private final Ids ids;
  private final EventPublisher events;

  public Tasks(TaskStore store, Ids ids, EventPublisher events) {
    this.store = store;
    this.ids = ids;
    this.events = events;
  }

  /** Stored when this returns; it begins soon. */
  public Task start(
      String environmentId,
      @Nullable ApplicationId applicationId,
      TaskKind kind,
      ObjectNode input) {
    Task task = store.create(new TaskId(ids.next()), environmentId, applicationId, kind, input);
    events.publish(new TaskCreated(task));
    return task;
  }

  /** One that was done while its caller waited; kept like the others. */
  public Task done(
      String environmentId, TaskKind kind, ObjectNode input, Function<TaskId, ObjectNode> data) {
    TaskId id = new TaskId(ids.next());
    return store.createDone(id, environmentId, kind, input, data.apply(id));
  }

  public TaskStore store() {
    return store;
  }

  /** The kinds that callers may see, each once. */
  public static List<String> shownKinds() {
    return Arrays.stream(TaskKind.values())
        .filter(kind -> !kind.hidden())
        .map(TaskKind::shown)
        .distinct()
        .toList();
  }

  static List<String> stored(String shown) {
    return Arrays.stream(TaskKind.values())
        .filter(kind -> !kind.hidden() && kind.shown().equals(shown))
        .map(TaskKind::stored)
        .toList();
  }
}
