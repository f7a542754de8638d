package dev.postrider.operational;

import dev.postrider.delivery.Finish;
import dev.postrider.delivery.Leased;
import dev.postrider.delivery.loop.FinishReports;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointReports;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.json.Json;
import dev.postrider.json.Times;
import dev.postrider.operational.OperationalStore.Audience;
import dev.postrider.operational.OperationalStore.Listener;
import dev.postrider.storage.Dialect;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationReports;
import dev.postrider.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes operational events as messages for the operator's endpoints, in the transactions of the
 * reported changes.
 */
public final class OperationalReports
    implements EndpointReports, ApplicationReports, FinishReports {
  /**
   * Maximum number of applications whose target lanes are cached until their commit; beyond it all
   * are evicted.
   */
  static final int MAX_REMEMBERED = 10_000;

  private final OperationalStore store;
  private final Ids ids;
  private final TimeSource time;
  private final BiConsumer<Id, Id> queued;

  private record Lane(Id applicationId, Id laneId) {}

  /** The operational lanes that events of an application were sent to recently. */
  private final Map<Id, Set<Lane>> lanes = new ConcurrentHashMap<>();

  /**
   * @param queued called after a commit with the lanes of an application that may have new
   *     deliveries
   */
  public OperationalReports(Dialect dialect, Ids ids, TimeSource time, BiConsumer<Id, Id> queued) {
    this.store = new OperationalStore(dialect);
    this.ids = ids;
    this.time = time;
    this.queued = queued;
  }

  @Override
  public void changed(
      Handle handle, Application application, Endpoint endpoint, EndpointReports.Change change) {
    if (change instanceof EndpointReports.Change.SecretRotated) { // Svix reports it as an update
      changed(handle, application, endpoint, new EndpointReports.Change.Updated());
    }
    tell(
        handle,
        application.environmentId(),
        application.id(),
        () -> event(application, endpoint, change));
  }

  private static OperationalEvent event(
      Application application, Endpoint endpoint, EndpointReports.Change change) {
    ObjectNode data =
        endpoint(
            application.id(),
            application.spec().uid(),
            endpoint.id(),
            endpoint.spec().get(EndpointFields.UID));
    return switch (change) {
      case EndpointReports.Change.Created _ ->
          new OperationalEvent(OperationalEvent.ENDPOINT_CREATED, data);
      case EndpointReports.Change.Updated _ ->
          new OperationalEvent(OperationalEvent.ENDPOINT_UPDATED, data);
      case EndpointReports.Change.Deleted _ ->
          new OperationalEvent(OperationalEvent.ENDPOINT_DELETED, data);
      case EndpointReports.Change.Enabled _ ->
          new OperationalEvent(OperationalEvent.ENDPOINT_ENABLED, data);
      case EndpointReports.Change.SecretRotated _ ->
          new OperationalEvent(OperationalEvent.SECRET_ROTATED, data);
      case EndpointReports.Change.CircuitReset _ ->
          new OperationalEvent(OperationalEvent.CIRCUIT_CLOSED, data);
      case EndpointReports.Change.Disabled(boolean automatic, Long since) -> {
        data.put("trigger", automatic ? "automatic" : "manual");
        if (since != null) {
          data.put("failSince", Times.text(since));
        }
        yield new OperationalEvent(OperationalEvent.ENDPOINT_DISABLED, data);
      }
    };
  }

  private static ObjectNode endpoint(
      Id applicationId, @Nullable String appUid, Id endpointId, @Nullable String endpointUid) {
    return Json.MAPPER
        .createObjectNode()
        .put("appId", applicationId.text(IdKind.APPLICATION))
        .put("appUid", appUid)
        .put("endpointId", endpointId.text(IdKind.ENDPOINT))
        .put("endpointUid", endpointUid);
  }

  @Override
  public void deleted(Handle handle, Application application, List<Id> endpoints) {
    for (Id endpoint : endpoints) {
      tell(
          handle,
          application.environmentId(),
          application.id(),
          () ->
              new OperationalEvent(
                  OperationalEvent.ENDPOINT_DELETED,
                  endpoint(
                      application.id(),
                      application.spec().uid(),
                      endpoint,
                      store.endpointUid(handle, endpoint))));
    }
  }

  @Override
  public void write(Handle handle, List<Event> events) {
    for (Event event : events) {
      tell(
          handle,
          event.lane().environmentId(),
          event.lane().applicationId(),
          () -> event(handle, event));
    }
  }

  private OperationalEvent event(Handle handle, Event event) {
    return switch (event) {
      case Event.Failing(_, Leased leased, Finish.Attempt last) ->
          attempt(handle, OperationalEvent.ATTEMPT_FAILING, leased, last);
      case Event.Exhausted(_, Leased leased, Finish.Attempt last) ->
          attempt(handle, OperationalEvent.ATTEMPT_EXHAUSTED, leased, last);
      case Event.Recovered(_, Leased leased, Finish.Attempt last) ->
          attempt(handle, OperationalEvent.ATTEMPT_RECOVERED, leased, last);
      case Event.CircuitOpened opened ->
          new OperationalEvent(
              OperationalEvent.CIRCUIT_OPENED,
              lane(handle, event)
                  .put("openUntil", Times.text(opened.state().openUntilMs()))
                  .put("consecutiveFailures", opened.state().consecutiveFailures()));
      case Event.CircuitClosed _ ->
          new OperationalEvent(OperationalEvent.CIRCUIT_CLOSED, lane(handle, event));
    };
  }

  private ObjectNode lane(Handle handle, Event event) {
    Id application = event.lane().applicationId();
    Id endpoint = event.lane().laneId();
    return endpoint(
        application,
        store.applicationUid(handle, application),
        endpoint,
        store.endpointUid(handle, endpoint));
  }

  private OperationalEvent attempt(Handle handle, String type, Leased leased, Finish.Attempt last) {
    Id application = leased.applicationId();
    ObjectNode data =
        endpoint(
                application,
                store.applicationUid(handle, application),
                leased.laneId(),
                store.endpointUid(handle, leased.laneId()))
            .put("msgId", leased.messageId().text(IdKind.MESSAGE))
            .put("msgEventId", store.eventId(handle, application, leased.messageId()));
    data.putObject("lastAttempt")
        .put("id", last.id().text(IdKind.ATTEMPT))
        .put("responseStatusCode", last.statusCode() == null ? 0 : last.statusCode())
        .put("timestamp", Times.text(last.sentAtMs()));
    return new OperationalEvent(type, data);
  }

  /** A background task has ended. */
  public void taskEnded(
      Handle handle,
      String environmentId,
      Id taskId,
      String task,
      String status,
      ObjectNode result) {
    tell(
        handle,
        environmentId,
        taskId,
        () -> {
          ObjectNode data =
              Json.MAPPER
                  .createObjectNode()
                  .put("taskId", taskId.text(IdKind.TASK))
                  .put("task", task)
                  .put("status", status);
          data.set("data", result);
          return new OperationalEvent(OperationalEvent.TASK_FINISHED, data);
        });
  }

  /**
   * @param about key under which the lanes are cached until {@link #committed}
   * @param event created only if an endpoint is subscribed
   */
  private void tell(
      Handle handle, String environmentId, Id about, Supplier<OperationalEvent> event) {
    if (OperationalWebhooks.isOperational(environmentId)) {
      return;
    }
    Audience audience = store.audience(handle, environmentId);
    if (audience == null) {
      return;
    }
    OperationalEvent told = event.get();
    List<Listener> listening =
        audience.listeners().stream()
            .filter(listener -> listener.subscriptions().matches(told.type()))
            .toList();
    if (listening.isEmpty()) {
      return;
    }
    ObjectNode body = Json.MAPPER.createObjectNode().put("type", told.type());
    body.set("data", told.data());
    store.insert(
        handle,
        audience.applicationId(),
        ids.next(),
        told.type(),
        body.toString().getBytes(StandardCharsets.UTF_8),
        listening,
        time.nowMs());
    remember(
        about,
        listening.stream()
            .map(listener -> new Lane(audience.applicationId(), listener.endpointId()))
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

  /** The reports about these are committed; calling it twice is harmless. */
  @Override
  public void committed(Collection<Id> about) {
    for (Id id : about) {
      lanes
          .getOrDefault(id, Set.of())
          .forEach(lane -> queued.accept(lane.applicationId(), lane.laneId()));
    }
  }
}
