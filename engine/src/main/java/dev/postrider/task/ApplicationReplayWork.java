package dev.postrider.task;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.store.RedriveStore;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.endpoint.SubscriptionSet;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.MessageId;
import dev.postrider.json.Json;
import dev.postrider.message.Message;
import dev.postrider.message.MessageFilter;
import dev.postrider.message.MessageReader;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Keyset;
import dev.postrider.time.TimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends the messages of a time range again, oldest first and up to the maximum of the request, to
 * the enabled endpoints of the application whose subscriptions match now. Each gets a new delivery
 * with the whole retry schedule, whose id is derived from the task: a message is replayed once per
 * task.
 *
 * <p>Like {@link ReplayWork} it reads only what is committed, and continues when later commits are
 * visible.
 */
final class ApplicationReplayWork implements TaskWork {
  /** Maximum number of messages that a step reads. */
  static final int PAGE = 200;

  /** A step ends after the message with which it has added so many deliveries. */
  static final int DELIVERIES = 500;

  static final String MESSAGES = "messagesReplayed";
  private static final String MAX_REACHED = "maxReached";
  private static final String EVENT_TYPES = "eventTypes";
  private static final String ENDPOINTS = "endpointIds";
  private static final String MAX = "max";

  /** The stores that it reads and writes. */
  record Stores(
      EndpointStore endpoints,
      RedriveStore redrives,
      MessageReader messages,
      ReplayWork.Routes routes) {}

  /** An endpoint with what decides whether it takes a message. */
  private record Receiver(Endpoint endpoint, SubscriptionSet types) {
    static Receiver of(Endpoint endpoint) {
      return new Receiver(
          endpoint, SubscriptionSet.parse(endpoint.spec().get(EndpointFields.SUBSCRIPTIONS)));
    }

    boolean takes(Message message) {
      return types.matches(message.eventType())
          && SubscriptionSet.sharesChannel(
              endpoint.spec().get(EndpointFields.CHANNELS), message.channels());
    }
  }

  /**
   * What a step adds.
   *
   * @param messages for each endpoint, in the order of ids: every transaction locks lanes in it
   * @param replayed the number of different messages
   * @param skipped messages without a payload
   * @param last the last message that was considered; null if there was none
   */
  private record Plan(
      SortedMap<Id, Replay> messages, int replayed, int skipped, @Nullable Id last) {}

  /** The messages that one endpoint gets. */
  private record Replay(Receiver receiver, List<Message> messages) {}

  private final Stores stores;
  private final WindowWork.Listeners listeners;
  private final CommitWatermark watermark;
  private final TimeSource time;

  ApplicationReplayWork(
      Stores stores, WindowWork.Listeners listeners, CommitWatermark watermark, TimeSource time) {
    this.stores = stores;
    this.listeners = listeners;
    this.watermark = watermark;
    this.time = time;
  }

  /**
   * Which messages a replay sends again, and where.
   *
   * @param eventTypes empty for all
   * @param endpoints empty for all
   * @param max maximum number of messages
   */
  record Wanted(
      Instant since, Instant until, List<String> eventTypes, List<EndpointId> endpoints, int max) {
    ObjectNode input() {
      ObjectNode input = Json.MAPPER.createObjectNode();
      input.put("since", since.toEpochMilli()).put("until", until.toEpochMilli()).put(MAX, max);
      ArrayNode types = input.putArray(EVENT_TYPES);
      eventTypes.forEach(types::add);
      ArrayNode ids = input.putArray(ENDPOINTS);
      endpoints.forEach(id -> ids.add(id.text()));
      return input;
    }
  }

  @Override
  public Step next(Task task) {
    List<Receiver> receivers = receivers(task);
    return new Step() {
      private final SortedMap<Id, List<Id>> added = new TreeMap<>();

      @Override
      public Task.Progress write(Handle handle) {
        added.clear(); // it may be a second run
        Id end = ReplayWork.end(task);
        Id complete = watermark.at(); // before the rows are looked at
        boolean waits = complete.compareTo(end) < 0;
        List<Message> page = page(handle, task, waits ? complete : end);
        Plan plan = plan(handle, task, page, receivers);
        plan.messages()
            .forEach((lane, replay) -> added.put(lane, insert(handle, task, replay, time.nowMs())));
        boolean all = page.isEmpty() || page.getLast().id().value().equals(plan.last());
        return progress(task, plan, count(added), all && page.size() < PAGE && !waits);
      }

      @Override
      public void committed() {
        added.forEach(
            (lane, deliveries) ->
                listeners.requeued(task.application(), lane, IdKind.ENDPOINT, deliveries));
      }
    };
  }

  /** The enabled endpoints of the application, or those of them that the caller named. */
  private List<Receiver> receivers(Task task) {
    Set<String> named = new HashSet<>();
    task.input().path(ENDPOINTS).forEach(id -> named.add(id.asString()));
    List<Receiver> receivers =
        TaskWorks.enabled(stores.endpoints(), task.application()).stream()
            .filter(endpoint -> named.isEmpty() || named.contains(endpoint.id().text()))
            .map(Receiver::of)
            .toList();
    if (receivers.isEmpty()) {
      throw new Impossible("no endpoint is enabled; enable one and start again");
    }
    return receivers;
  }

  private List<Message> page(Handle handle, Task task, Id end) {
    Keyset<Id> keyset = new Keyset<>(PAGE - 1, WindowWork.after(task), false, true);
    return stores
        .messages()
        .rows(handle, task.application(), MessageFilter.ALL, keyset, false)
        .stream()
        .filter(message -> message.id().value().compareTo(end) <= 0)
        .toList();
  }

  private Plan plan(Handle handle, Task task, List<Message> page, List<Receiver> receivers) {
    Set<MessageId> sendable =
        stores
            .messages()
            .withPayload(handle, task.application(), page.stream().map(Message::id).toList());
    SortedMap<Id, Replay> chosen = new TreeMap<>();
    int left = task.input().path(MAX).asInt() - task.progress().data().path(MESSAGES).asInt(0);
    int replayed = 0;
    int skipped = 0;
    int deliveries = 0;
    Id last = null;
    for (Message message : page) {
      if (replayed == left || deliveries >= DELIVERIES) {
        break;
      }
      last = message.id().value();
      List<Receiver> taking =
          wanted(task, message)
              ? receivers.stream().filter(receiver -> receiver.takes(message)).toList()
              : List.of();
      if (taking.isEmpty()) {
        continue;
      }
      if (!sendable.contains(message.id())) {
        skipped++;
        continue;
      }
      replayed++;
      deliveries += taking.size();
      taking.forEach(
          receiver ->
              chosen
                  .computeIfAbsent(
                      receiver.endpoint().id().value(),
                      _ -> new Replay(receiver, new ArrayList<>()))
                  .messages()
                  .add(message));
    }
    return new Plan(chosen, replayed, skipped, last);
  }

  /** A message that is not due yet is not sent early. */
  private boolean wanted(Task task, Message message) {
    var types = task.input().path(EVENT_TYPES);
    Instant deliverAt = message.deliverAt();
    return (deliverAt == null || deliverAt.toEpochMilli() <= time.nowMs())
        && (types.isEmpty()
            || types.valueStream().anyMatch(type -> type.asString().equals(message.eventType())));
  }

  private List<Id> insert(Handle handle, Task task, Replay replay, long nowMs) {
    Endpoint endpoint = replay.receiver().endpoint();
    var routes = stores.routes().to(handle, endpoint);
    List<Id> added = new ArrayList<>();
    for (Message message : replay.messages()) {
      Id id = DeliveryIds.of(message.id().value(), endpoint.id().value(), task.id().value());
      var route = routes.apply(message.eventType());
      int rows =
          stores
              .redrives()
              .insert(
                  handle,
                  new RedriveStore.Addition(
                      task.application().value(),
                      id,
                      message.id().value(),
                      endpoint.id().value(),
                      route == null ? null : route.id().value(),
                      endpoint.spec().get(EndpointFields.ORDERED),
                      RedriveStore.Tries.AGAIN),
                  nowMs);
      if (rows == 1) {
        added.add(id);
      }
    }
    return added;
  }

  private static int count(SortedMap<Id, List<Id>> added) {
    return added.values().stream().mapToInt(List::size).sum();
  }

  /**
   * @param atEnd nothing of the window is left
   */
  private static Task.Progress progress(Task task, Plan plan, int deliveries, boolean atEnd) {
    ObjectNode data = task.progress().data().deepCopy();
    int messages = data.path(MESSAGES).asInt(0) + plan.replayed();
    boolean most = messages >= task.input().path(MAX).asInt();
    data.put(WindowWork.SENT, data.path(WindowWork.SENT).asInt(0) + deliveries);
    data.put(MESSAGES, messages);
    data.put(WindowWork.SKIPPED, data.path(WindowWork.SKIPPED).asInt(0) + plan.skipped());
    data.put(MAX_REACHED, most);
    Id last = plan.last();
    return new Task.Progress(
        last == null ? task.progress().cursor() : last.text(IdKind.DELIVERY), data, atEnd || most);
  }
}
