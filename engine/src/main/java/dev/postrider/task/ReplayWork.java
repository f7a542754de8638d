package dev.postrider.task;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.delivery.store.RedriveStore;
import dev.postrider.delivery.store.RedriveStore.Tries;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.endpoint.SubscriptionSet;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.message.Message;
import dev.postrider.message.MessageFilter;
import dev.postrider.message.MessageReader;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Keyset;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends messages of a time range to an endpoint: those that were never sent to it although it is
 * subscribed ({@code REPLAY_MISSING}), or those that were, with any result ({@code BULK_REPLAY}).
 *
 * <p>It reads up to the commit watermark and waits for the rest (engine rule 9): a message of the
 * window may be committed after a younger one.
 */
final class ReplayWork extends WindowWork {
  static final int PAGE = 200;

  /** The stores that a replay reads and writes. */
  record Stores(
      RedriveStore redrives,
      MessageReader messages,
      DeliveryReader deliveries,
      LastCodes codes,
      Routes routes) {}

  /** The agent routes of deliveries to an endpoint, by event type. */
  @FunctionalInterface
  interface Routes {
    Function<String, @Nullable AgentRoute> to(Handle handle, Endpoint endpoint);
  }

  /** The status code of the newest attempt of a delivery; null if there was no response. */
  @FunctionalInterface
  interface LastCodes {
    @Nullable Integer of(Handle handle, ApplicationId applicationId, DeliveryView delivery);
  }

  private final Stores stores;
  private final CommitWatermark watermark;
  private final TimeSource time;

  ReplayWork(
      EndpointStore endpoints,
      Stores stores,
      Listeners listeners,
      CommitWatermark watermark,
      TimeSource time) {
    super(endpoints, listeners);
    this.stores = stores;
    this.watermark = watermark;
    this.time = time;
  }

  @Override
  Task.Progress write(Handle handle, Task task, Endpoint endpoint, List<Id> waiting) {
    Id end = end(task);
    Id complete = watermark.at(); // before the rows are looked at
    boolean waits = complete.compareTo(end) < 0;
    List<Message> page = page(handle, task, waits ? complete : end);
    Map<Id, DeliveryView> known =
        stores
            .deliveries()
            .toLane(
                handle,
                task.application(),
                endpoint.id().value(),
                page.stream().map(message -> message.id().value()).toList());
    Function<String, @Nullable AgentRoute> routes = stores.routes().to(handle, endpoint);
    for (Message message : page) {
      DeliveryView delivery = known.get(message.id().value());
      Id sent =
          task.kind() == TaskKind.BULK_REPLAY
              ? again(handle, task, endpoint, message, delivery)
              : first(handle, task, endpoint, message, delivery, routes);
      if (sent != null) {
        waiting.add(sent);
      }
    }
    if (page.size() < PAGE) {
      return waits ? later(task, page, waiting.size()) : progress(task, null, waiting.size());
    }
    return progress(task, page.getLast().id().value(), waiting.size());
  }

  /** Messages accepted after the task was created are not included. */
  static Id end(Task task) {
    Id until = until(task);
    return until.compareTo(task.id().value()) < 0 ? until : task.id().value();
  }

  /** Not at the end of the window yet. */
  private static Task.Progress later(Task task, List<Message> page, int sent) {
    return progress(task, page.isEmpty() ? after(task) : page.getLast().id().value(), sent);
  }

  /** The next messages of the window, all of them: the cursor must not jump over any. */
  private List<Message> page(Handle handle, Task task, Id end) {
    MessageFilter window = new MessageFilter(null, null, List.of(), null, null);
    Keyset<Id> keyset = new Keyset<>(PAGE - 1, after(task), false, true);
    List<Message> found = new ArrayList<>();
    for (Message message :
        stores.messages().rows(handle, task.application(), window, keyset, false)) {
      if (message.id().value().compareTo(end) <= 0) {
        found.add(message);
      }
    }
    return found;
  }

  /** Messages that the endpoint is subscribed to and that were never sent to it. */
  private @Nullable Id first(
      Handle handle,
      Task task,
      Endpoint endpoint,
      Message message,
      @Nullable DeliveryView delivery,
      Function<String, @Nullable AgentRoute> routes) {
    boolean takes =
        SubscriptionSet.parse(endpoint.spec().get(EndpointFields.SUBSCRIPTIONS))
                .matches(message.eventType())
            && SubscriptionSet.sharesChannel(
                endpoint.spec().get(EndpointFields.CHANNELS), message.channels());
    if (!takes) {
      return null;
    }
    if (delivery == null) {
      Id id = DeliveryIds.of(message.id().value(), endpoint.id().value(), Id.ZERO);
      return inserted(
          handle, id, message, endpoint, routes.apply(message.eventType()), Tries.AS_NEW);
    }
    boolean untried =
        delivery.status() == DeliveryStatus.CANCELED
            && delivery.attempts() == 0
            && !EndReason.CANCEL_REQUESTED.text().equals(delivery.reason());
    boolean redriven =
        untried
            && stores
                    .redrives()
                    .redriveOne(
                        handle,
                        task.application().value(),
                        delivery.id(),
                        endpoint.id().value(),
                        false,
                        time.nowMs())
                == 1;
    return redriven ? delivery.id() : null;
  }

  private @Nullable Id inserted(
      Handle handle,
      Id id,
      Message message,
      Endpoint endpoint,
      @Nullable AgentRoute route,
      Tries tries) {
    int rows =
        stores
            .redrives()
            .insert(
                handle,
                new RedriveStore.Addition(
                    endpoint.applicationId().value(),
                    id,
                    message.id().value(),
                    endpoint.id().value(),
                    route == null ? null : route.id().value(),
                    endpoint.spec().get(EndpointFields.ORDERED),
                    tries),
                time.nowMs());
    return rows == 1 ? id : null;
  }

  /**
   * One more attempt; the id of the delivery is derived from the task, so a message is replayed
   * once per task.
   */
  private @Nullable Id again(
      Handle handle,
      Task task,
      Endpoint endpoint,
      Message message,
      @Nullable DeliveryView delivery) {
    if (delivery == null || !wanted(handle, task, message, delivery)) {
      return null;
    }
    Id id = DeliveryIds.of(message.id().value(), endpoint.id().value(), task.id().value());
    return inserted(handle, id, message, endpoint, null, Tries.ONCE);
  }

  private boolean wanted(Handle handle, Task task, Message message, DeliveryView delivery) {
    ObjectNode input = task.input();
    JsonNode types = input.path("eventTypes");
    boolean typed =
        types.isEmpty()
            || types.valueStream().anyMatch(type -> type.asString().equals(message.eventType()));
    JsonNode channel = input.path("channel");
    JsonNode tag = input.path("tag");
    JsonNode status = input.path("status");
    return typed
        && (!channel.isString() || message.channels().contains(channel.asString()))
        && (!tag.isString() || message.tags().contains(tag.asString()))
        && (!status.isArray()
            || status.valueStream().anyMatch(s -> s.asInt() == delivery.status().code()))
        && codeFits(handle, task, delivery);
  }

  private boolean codeFits(Handle handle, Task task, DeliveryView delivery) {
    JsonNode wanted = task.input().path("statusCodeClass");
    if (!wanted.isNumber()) {
      return true;
    }
    Integer code = stores.codes().of(handle, task.application(), delivery);
    return (code == null ? 0 : code / 100 * 100) == wanted.asInt();
  }
}
