package dev.postrider.task;

import dev.postrider.delivery.store.RedriveStore;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.id.Id;
import dev.postrider.time.TimeSource;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Sends failed deliveries of an endpoint in a time range again, or only its dead letters. */
final class RedriveWork extends WindowWork {
  static final int PAGE = 500;

  private final RedriveStore store;
  private final TimeSource time;

  RedriveWork(EndpointStore endpoints, RedriveStore store, Listeners listeners, TimeSource time) {
    super(endpoints, listeners);
    this.store = store;
    this.time = time;
  }

  @Override
  Task.Progress write(Handle handle, Task task, Endpoint endpoint, List<Id> waiting) {
    RedriveStore.Page page =
        store.redrive(
            handle,
            task.application().value(),
            endpoint.id().value(),
            after(task),
            until(task),
            choice(task),
            time.nowMs(),
            PAGE);
    waiting.addAll(page.redriven());
    return progress(task, page.last(), waiting.size());
  }

  private static RedriveStore.Choice choice(Task task) {
    if (task.kind() == TaskKind.REDRIVE) {
      return RedriveStore.Choice.DEAD_LETTERS;
    }
    return task.input().path(TaskWorks.FRESH_SCHEDULE).asBoolean(false)
        ? RedriveStore.Choice.UNDELIVERED
        : RedriveStore.Choice.FAILED_ONCE;
  }
}
