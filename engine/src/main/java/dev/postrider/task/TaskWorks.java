package dev.postrider.task;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.store.AttemptReader;
import dev.postrider.delivery.store.ContentStore;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.RedriveStore;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.json.Json;
import dev.postrider.message.Acceptor;
import dev.postrider.message.MessageReader;
import dev.postrider.statistics.StatisticsReader;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.datakey.ResealStore;
import dev.postrider.time.TimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Creates the implementation of each kind of background task. */
public final class TaskWorks {
  /** Option of a recovery: use the whole retry schedule instead of one attempt. */
  public static final String FRESH_SCHEDULE = "freshSchedule";

  /** The stores and services that tasks use. */
  public record Parts(
      Database database,
      ApplicationStore applications,
      EndpointStore endpoints,
      Acceptor acceptor,
      StatisticsReader statistics,
      EventPublisher events,
      DeliveryListener listener,
      CommitWatermark watermark,
      ResealStore reseals,
      TimeSource time) {}

  private TaskWorks() {}

  public static Map<TaskKind, TaskWork> all(Parts parts) {
    RedriveStore redrives = new RedriveStore(parts.database());
    MessageReader messages = new MessageReader(parts.database());
    WindowWork.Listeners listeners = new WindowWork.Listeners(parts.events(), parts.listener());
    RedriveWork redrive = new RedriveWork(parts.endpoints(), redrives, listeners, parts.time());
    ReplayWork.Routes routes =
        (handle, endpoint) -> AgentRouteStore.to(handle, parts.database().dialect(), endpoint);
    ReplayWork replay =
        new ReplayWork(
            parts.endpoints(),
            new ReplayWork.Stores(
                redrives,
                messages,
                new DeliveryReader(parts.database()),
                new AttemptReader(parts.database())::lastCode,
                routes),
            listeners,
            parts.watermark(),
            parts.time());
    Map<TaskKind, TaskWork> works = new EnumMap<>(TaskKind.class);
    works.put(TaskKind.RESEAL, new ResealWork(parts.applications(), parts.reseals(), parts.time()));
    works.putAll(
        Map.of(
            TaskKind.RECOVER,
            redrive,
            TaskKind.REDRIVE,
            redrive,
            TaskKind.APPLICATION_REDRIVE,
            new ApplicationRedriveWork(redrives, listeners, parts.time()),
            TaskKind.APPLICATION_REPLAY,
            new ApplicationReplayWork(
                new ApplicationReplayWork.Stores(parts.endpoints(), redrives, messages, routes),
                listeners,
                parts.watermark(),
                parts.time()),
            TaskKind.REPLAY_MISSING,
            replay,
            TaskKind.BULK_REPLAY,
            replay,
            TaskKind.EXPUNGE_ALL,
            new ExpungeWork(
                messages, new ContentStore(parts.database(), parts.listener()), parts.time()),
            TaskKind.USAGE,
            new ApplicationPages(
                parts.applications(), "appStats", (task, page) -> usage(parts, task, page)),
            TaskKind.AGGREGATE_EVENT_TYPES,
            new ApplicationPages(
                parts.applications(),
                "event_types",
                (_, page) -> subscribed(parts.endpoints(), page)),
            TaskKind.BROADCAST,
            new ApplicationPages(
                parts.applications(), "messagesCreated", new Broadcast(parts.acceptor()))));
    return works;
  }

  /** The input of a recovery or replay. */
  public static ObjectNode window(EndpointId endpointId, Instant since, Instant until) {
    return WindowWork.input(endpointId, since, until);
  }

  /**
   * The input of a redrive of an application; a null time means no limit.
   *
   * @param eventTypes empty for all
   */
  public static ObjectNode deadLetters(
      @Nullable Instant since, @Nullable Instant until, List<String> eventTypes) {
    return ApplicationRedriveWork.input(since, until, eventTypes);
  }

  /**
   * The input of a replay of an application.
   *
   * @param eventTypes empty for all
   * @param endpoints empty for all
   * @param max maximum number of messages
   */
  public static ObjectNode replay(
      Instant since, Instant until, List<String> eventTypes, List<EndpointId> endpoints, int max) {
    return new ApplicationReplayWork.Wanted(since, until, eventTypes, endpoints, max).input();
  }

  private static List<@Nullable ObjectNode> usage(Parts parts, Task task, List<Application> page) {
    JsonNode wanted = task.input().path("appIds");
    Instant since = Instant.ofEpochMilli(task.input().path("since").asLong());
    Instant until = Instant.ofEpochMilli(task.input().path("until").asLong());
    return page.stream()
        .filter(application -> wanted.isMissingNode() || named(wanted, application))
        .map(
            application ->
                described(application)
                    .put(
                        "messageDestinations",
                        parts.statistics().tally(application.id(), null, since, until).attempts()))
        .<@Nullable ObjectNode>map(node -> node)
        .toList();
  }

  private static boolean named(JsonNode ids, Application application) {
    String id = application.id().text();
    return ids.valueStream().anyMatch(wanted -> wanted.asString().equals(id));
  }

  private static ObjectNode described(Application application) {
    return Json.MAPPER
        .createObjectNode()
        .put("appId", application.id().text())
        .put("appUid", application.spec().uid());
  }

  /** Which event types the live endpoints name, and whether one of them takes all. */
  private static List<@Nullable ObjectNode> subscribed(
      EndpointStore endpoints, List<Application> page) {
    return page.stream()
        .<@Nullable ObjectNode>map(
            application -> {
              Set<String> types = new TreeSet<>();
              boolean all = false;
              for (Endpoint endpoint : enabled(endpoints, application.id())) {
                all |= endpoint.spec().get(EndpointFields.SUBSCRIPTIONS).isEmpty();
                types.addAll(endpoint.spec().get(EndpointFields.SUBSCRIPTIONS));
              }
              ObjectNode found = described(application);
              ArrayNode list = found.putArray("explicitlySubscribedEventTypes");
              types.forEach(list::add);
              return found.put("hasCatchAllEndpoint", all);
            })
        .toList();
  }

  static List<Endpoint> enabled(EndpointStore endpoints, ApplicationId applicationId) {
    List<Endpoint> enabled = new ArrayList<>();
    Id from = null;
    Keyset.Page<Endpoint> page;
    do {
      page = endpoints.list(applicationId, new Keyset<>(Keyset.MAX_LIMIT, from, false, true));
      page.items().stream()
          .filter(e -> !e.spec().get(EndpointFields.DISABLED))
          .forEach(enabled::add);
      from = page.items().isEmpty() ? from : page.items().getLast().id().value();
    } while (!page.done());
    return enabled;
  }
}
