package dev.postrider.task;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.LaneEvent;
import dev.postrider.delivery.StatusChange;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Shared parts of recoveries and replays: an endpoint, a time range, and a count of requeued
 * deliveries. The cursor is the last id read.
 */
abstract class WindowWork implements TaskWork {
  static final String SENT = "messagesSent";
  static final String SKIPPED = "messagesSkipped";

  private final EndpointStore endpoints;
  private final Listeners listeners;

  /**
   * Listeners that are called after the commit of a step.
   *
   * @param listener called with the new pending deliveries
   */
  record Listeners(EventPublisher events, DeliveryListener listener) {
    /** These deliveries of an endpoint or a queue are pending again; consumers of a queue poll. */
    void requeued(ApplicationId applicationId, Id laneId, IdKind laneKind, List<Id> deliveries) {
      if (laneKind == IdKind.ENDPOINT) {
        events.publish(new LaneEvent.Queued(applicationId.value(), laneId));
      }
      if (!deliveries.isEmpty()) {
        listener.statusChanged(
            new StatusChange(
                applicationId.value(),
                laneId,
                laneKind,
                List.copyOf(deliveries),
                DeliveryStatus.PENDING,
                null,
                null));
      }
    }
  }

  WindowWork(EndpointStore endpoints, Listeners listeners) {
    this.endpoints = endpoints;
    this.listeners = listeners;
  }

  /**
   * Writes one step.
   *
   * @param waiting gets the requeued deliveries
   */
  abstract Task.Progress write(Handle handle, Task task, Endpoint endpoint, List<Id> waiting);

  @Override
  public final Step next(Task task) {
    Endpoint endpoint = endpoint(task);
    List<Id> waiting = new ArrayList<>();
    return new Step() {
      @Override
      public Task.Progress write(Handle handle) {
        waiting.clear(); // it may be a second run
        return WindowWork.this.write(handle, task, endpoint, waiting);
      }

      @Override
      public void committed() {
        listeners.requeued(task.application(), endpoint.id().value(), IdKind.ENDPOINT, waiting);
      }
    };
  }

  /** The input of such a task. */
  static ObjectNode input(EndpointId endpointId, Instant since, Instant until) {
    return Json.MAPPER
        .createObjectNode()
        .put("endpointId", endpointId.text())
        .put("since", since.toEpochMilli())
        .put("until", until.toEpochMilli());
  }

  /** The endpoint, which must not have been deleted or disabled meanwhile. */
  private Endpoint endpoint(Task task) {
    Endpoint endpoint =
        endpoints.find(task.application(), task.input().path("endpointId").asString());
    if (endpoint == null) {
      throw new Impossible("the endpoint was deleted");
    }
    if (endpoint.spec().get(EndpointFields.DISABLED)) {
      throw new Impossible("the endpoint is disabled; enable it and start again");
    }
    return endpoint;
  }

  /** Where the step starts: after this id. */
  static Id after(Task task) {
    String cursor = task.progress().cursor();
    Id reached = cursor == null ? null : Id.parse(IdKind.DELIVERY, cursor);
    return reached == null ? Id.floorOf(task.input().path("since").asLong()) : reached;
  }

  /** Ids have a resolution of 4 ms: the end is moved past the tick that it is in. */
  static Id until(Task task) {
    return Id.floorOf(task.input().path("until").asLong() + 4);
  }

  /**
   * @param last null at the end
   */
  static Task.Progress progress(Task task, @Nullable Id last, int sent) {
    return progress(task, last, SENT, sent);
  }

  static Task.Progress progress(Task task, @Nullable Id last, String counter, int more) {
    ObjectNode data = task.progress().data().deepCopy();
    data.put(counter, data.path(counter).asInt(0) + more);
    String cursor = last == null ? task.progress().cursor() : last.text(IdKind.DELIVERY);
    return new Task.Progress(cursor, data, last == null);
  }
}
