package dev.postrider.operational;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LaneEvent;
import dev.postrider.delivery.loop.FinishEvent;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointChanged;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointReport;
import dev.postrider.event.EngineEvents;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.id.MessageId;
import dev.postrider.json.Json;
import dev.postrider.json.Times;
import dev.postrider.operational.OperationalStore.Audience;
import dev.postrider.operational.OperationalStore.Listener;
import dev.postrider.storage.Dialect;
import dev.postrider.task.Task;
import dev.postrider.task.TaskEnded;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationChanged;
import dev.postrider.tenant.ApplicationDeleted;
import dev.postrider.tenant.HiddenEnvironments;
import dev.postrider.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes operational events as messages for the operator's endpoints, in the transactions of the
 * reported changes.
 */
public final class OperationalReports {
  /**
   * Maximum number of applications whose target lanes are cached until their commit; beyond it all
   * are evicted.
   */
  static final int MAX_REMEMBERED = 10_000;

  private final OperationalStore store;
  private final Ids ids;
  private final TimeSource time;
  private final EventPublisher events;

  private record Lane(ApplicationId applicationId, Id laneId) {}

  /** The operational lanes that events of an application were sent to recently. */
  private final Map<Id, Set<Lane>> lanes = new ConcurrentHashMap<>();

  public OperationalReports(Dialect dialect, Ids ids, TimeSource time, EventPublisher events) {
    this.store = new OperationalStore(dialect);
    this.ids = ids;
    this.time = time;
    this.events = events;
  }

  /** Adds the listeners that write operational events, and those that announce them. */
  public void listenTo(EngineEvents events) {
    events.inTransaction(EndpointReport.class, this::endpointChanged);
    events.inTransaction(ApplicationDeleted.class, this::applicationDeleted);
    events.inTransaction(FinishEvent.class, this::finished);
    events.inTransaction(TaskEnded.class, this::taskEnded);
    events.afterCommit(
        EndpointChanged.class, changed -> committed(changed.applicationId().value()));
    events.afterCommit(
        ApplicationChanged.class, changed -> committed(changed.applicationId().value()));
    events.afterCommit(FinishEvent.class, finish -> committed(finish.lane().applicationId()));
    events.afterCommit(TaskEnded.class, ended -> committed(ended.task().id().value()));
  }

  private void endpointChanged(Handle handle, EndpointReport report) {
    Application application = report.application();
    if (report.change() instanceof EndpointReport.Change.SecretRotated) {
      // Svix reports it as an update, too.
      endpointChanged(
          handle,
          new EndpointReport(application, report.endpoint(), new EndpointReport.Change.Updated()));
    }
    write(
        handle,
        application.environmentId(),
        application.id().value(),
        () -> event(application, report.endpoint(), report.change()));
  }

  private static OperationalEvent event(
      Application application, Endpoint endpoint, EndpointReport.Change change) {
    ObjectNode data =
        endpoint(
            application.id(),
            application.spec().uid(),
            endpoint.id(),
            endpoint.spec().get(EndpointFields.UID));
    return switch (change) {
      case EndpointReport.Change.Created _ ->
          new OperationalEvent(OperationalEvent.ENDPOINT_CREATED, data);
      case EndpointReport.Change.Updated _ ->
          new OperationalEvent(OperationalEvent.ENDPOINT_UPDATED, data);
      case EndpointReport.Change.Deleted _ ->
          new OperationalEvent(OperationalEvent.ENDPOINT_DELETED, data);
      case EndpointReport.Change.Enabled _ ->
          new OperationalEvent(OperationalEvent.ENDPOINT_ENABLED, data);
      case EndpointReport.Change.SecretRotated _ ->
          new OperationalEvent(OperationalEvent.SECRET_ROTATED, data);
      case EndpointReport.Change.CircuitReset _ ->
          new OperationalEvent(OperationalEvent.CIRCUIT_CLOSED, data);
      case EndpointReport.Change.Disabled(boolean automatic, Instant since) -> {
        data.put("trigger", automatic ? "automatic" : "manual");
        if (since != null) {
          data.put("failSince", Times.text(since));
        }
        yield new OperationalEvent(OperationalEvent.ENDPOINT_DISABLED, data);
      }
    };
  }

  private static ObjectNode endpoint(
      ApplicationId applicationId,
      @Nullable String appUid,
      EndpointId endpointId,
      @Nullable String endpointUid) {
    return Json.MAPPER
        .createObjectNode()
        .put("appId", applicationId.text())
        .put("appUid", appUid)
        .put("endpointId", endpointId.text())
        .put("endpointUid", endpointUid);
  }

  private void applicationDeleted(Handle handle, ApplicationDeleted deleted) {
    Application application = deleted.application();
    for (EndpointId endpoint : deleted.endpoints()) {
      write(
          handle,
          application.environmentId(),
          application.id().value(),
          () ->
              new OperationalEvent(
                  OperationalEvent.ENDPOINT_DELETED,
                  endpoint(
                      application.id(),
                      application.spec().uid(),
                      new EndpointId(endpoint.value()),
                      store.endpointUid(handle, new EndpointId(endpoint.value())))));
    }
  }

  private void finished(Handle handle, FinishEvent event) {
    write(
        handle,
        event.lane().environmentId(),
        event.lane().applicationId(),
        () -> event(handle, event));
  }

  private OperationalEvent event(Handle handle, FinishEvent event) {
    return switch (event) {
      case FinishEvent.Failing(_, Delivery delivery, Finish.Attempt last) ->
          attempt(handle, OperationalEvent.ATTEMPT_FAILING, delivery, last);
      case FinishEvent.Exhausted(_, Delivery delivery, Finish.Attempt last) ->
          attempt(handle, OperationalEvent.ATTEMPT_EXHAUSTED, delivery, last);
      case FinishEvent.Recovered(_, Delivery delivery, Finish.Attempt last) ->
          attempt(handle, OperationalEvent.ATTEMPT_RECOVERED, delivery, last);
      case FinishEvent.CircuitOpened opened ->
          new OperationalEvent(
              OperationalEvent.CIRCUIT_OPENED,
              lane(handle, event)
                  .put("openUntil", Times.text(opened.state().openUntilMs()))
                  .put("consecutiveFailures", opened.state().consecutiveFailures()));
      case FinishEvent.CircuitClosed _ ->
          new OperationalEvent(OperationalEvent.CIRCUIT_CLOSED, lane(handle, event));
    };
  }

  private ObjectNode lane(Handle handle, FinishEvent event) {
    Id application = event.lane().applicationId();
    Id endpoint = event.lane().laneId();
    return endpoint(
        new ApplicationId(application),
        store.applicationUid(handle, new ApplicationId(application)),
        new EndpointId(endpoint),
        store.endpointUid(handle, new EndpointId(endpoint)));
  }

  private OperationalEvent attempt(
      Handle handle, String type, Delivery delivery, Finish.Attempt last) {
    Id application = delivery.applicationId();
    ObjectNode data =
        endpoint(
                new ApplicationId(application),
                store.applicationUid(handle, new ApplicationId(application)),
                new EndpointId(delivery.laneId()),
                store.endpointUid(handle, new EndpointId(delivery.laneId())))
            .put("msgId", delivery.messageId().text(IdKind.MESSAGE))
            .put(
                "msgEventId",
                store.eventId(
                    handle, new ApplicationId(application), new MessageId(delivery.messageId())));
    data.putObject("lastAttempt")
        .put("id", last.id().text(IdKind.ATTEMPT))
        .put("responseStatusCode", last.statusCode() == null ? 0 : last.statusCode())
        .put("timestamp", Times.text(last.sentAtMs()));
    return new OperationalEvent(type, data);
  }

  private void taskEnded(Handle handle, TaskEnded ended) {
    Task task = ended.task();
    if (task.kind().hidden()) {
      return;
    }
    write(
        handle,
        task.environmentId(),
        task.id().value(),
        () -> {
          ObjectNode data =
              Json.MAPPER
                  .createObjectNode()
                  .put("taskId", task.id().text())
                  .put("task", task.kind().shown())
                  .put("status", ended.status().text());
          data.set("data", ended.data());
          return new OperationalEvent(OperationalEvent.TASK_FINISHED, data);
        });
  }

  /**
   * @param about key under which the lanes are cached until {@link #committed}
   * @param event created only if an endpoint is subscribed
   */
  private void write(
      Handle handle, String environmentId, Id about, Supplier<OperationalEvent> event) {
    if (HiddenEnvironments.isHidden(environmentId)) {
      return;
    }
    Audience audience = store.audience(handle, environmentId);
    if (audience == null) {
      return;
    }
    OperationalEvent written = event.get();
    List<Listener> listening =
        audience.listeners().stream()
            .filter(listener -> listener.subscriptions().matches(written.type()))
            .toList();
    if (listening.isEmpty()) {
      return;
    }
    ObjectNode body = Json.MAPPER.createObjectNode().put("type", written.type());
    body.set("data", written.data());
    store.insert(
        handle,
        audience.applicationId(),
        new MessageId(ids.next()),
        written.type(),
        body.toString().getBytes(StandardCharsets.UTF_8),
        listening,
        time.nowMs());
    remember(
        about,
        listening.stream()
            .map(listener -> new Lane(audience.applicationId(), listener.endpointId().value()))
            .toList());
  }

  private void remember(Id about, List<Lane> listening) {
    if (lanes.size() >= MAX_REMEMBERED) {
      lanes.clear(); // the sweep finds what is due within seconds
    }
    lanes.merge(
        about,
        Set.copyOf(listening),
        (known, more) -> {
          Set<Lane> all = new HashSet<>(known);
          all.addAll(more);
          return Set.copyOf(all);
        });
  }

  /** What was written about this is committed; calling it twice is harmless. */
  private void committed(Id about) {
    lanes
        .getOrDefault(about, Set.of())
        .forEach(
            lane ->
                events.publish(new LaneEvent.Queued(lane.applicationId().value(), lane.laneId())));
  }
}
