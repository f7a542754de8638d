package dev.postrider.task;

import dev.postrider.delivery.RedriveStore;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.id.Id;
import dev.postrider.time.TimeSource;
import java.util.function.Consumer;

/** Gives what an endpoint did not get of a window a fresh schedule, or its dead letters only. */
final class RedriveWork extends WindowWork {
  static final int PAGE = 500;

  private final RedriveStore store;
  private final TimeSource time;

  RedriveWork(EndpointStore endpoints, RedriveStore store, Consumer<Id> queued, TimeSource time) {
    super(endpoints, queued);
    this.store = store;
    this.time = time;
  }

  @Override
  public Step next(Task task) {
    Endpoint endpoint = endpoint(task);
    boolean deadLettersOnly = task.kind() == TaskKind.REDRIVE;
    return handle -> {
      RedriveStore.Page page =
          store.redrive(
              handle,
              task.application(),
              endpoint.id(),
              after(task),
              until(task),
              deadLettersOnly,
              time.nowMs(),
              PAGE);
      return progress(task, page.last(), page.redriven());
    };
  }
}
