package dev.postrider.api.message;

import dev.postrider.api.endpoint.EndpointLookup;
import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Query;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.command.Cancel;
import dev.postrider.delivery.command.Redrive;
import dev.postrider.delivery.store.DeliveryFilter;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.delivery.store.EnvironmentDeliveryReader.Listed;
import dev.postrider.id.DeliveryId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.inbound.SignatureStatus;
import dev.postrider.json.TextRule;
import dev.postrider.message.Message;
import dev.postrider.message.MessageReader;
import dev.postrider.queue.Queue;
import dev.postrider.queue.QueueStore;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The API calls for deliveries: lists, retry of a single delivery, and cancel. */
final class DeliveryCalls {
  static final TextRule SESSION = TextRule.of(1, 256);

  private static final List<String> STATUSES =
      Arrays.stream(DeliveryStatus.values()).map(DeliveryStatus::text).toList();

  private static final List<String> SIGNATURES = SignatureStatus.texts();

  private final ApplicationLookup applications;
  private final EndpointLookup endpoints;
  private final QueueStore queues;
  private final MessageReader messages;
  private final MessageLookup lookup;
  private final DeliveryReader reader;
  private final DeliveryOut out;
  private final Redrive redrive;
  private final Cancel cancel;

  DeliveryCalls(
      ApplicationLookup applications,
      EndpointLookup endpoints,
      QueueStore queues,
      MessageHistory history,
      DeliveryOut out,
      Redrive redrive,
      Cancel cancel) {
    this.applications = applications;
    this.endpoints = endpoints;
    this.queues = queues;
    this.messages = history.messages();
    this.lookup = history.lookup();
    this.reader = history.deliveries();
    this.out = out;
    this.redrive = redrive;
    this.cancel = cancel;
  }

  void list(Call call) {
    list(call, applications.inPath(call));
  }

  /** The filters of the query apply. */
  void list(Call call, Application application) {
    Query query = call.query();
    Keyset<Id> keyset = query.page(text -> Id.parse(IdKind.DELIVERY, text), false);
    String name = query.text("endpoint_id", Limits.UID_RULE);
    DeliveryFilter filter =
        new DeliveryFilter(
            status(query),
            name == null ? null : lane(application, name),
            query.time("before"),
            query.time("after"),
            query.text("session_id", SESSION),
            query.eventTypes(),
            signature(query));
    Keyset.Found<Id, Listed> found =
        reader
            .list(application.id(), filter, keyset)
            .map(delivery -> new Listed(application.id().value(), delivery));
    call.json(
        200,
        Pages.searched(
            found,
            keyset.backward(),
            IdKind.DELIVERY,
            DeliveryOut::idText,
            out.items(call, found.page().items())));
  }

  private Id lane(Application application, String name) {
    return name.startsWith(IdKind.QUEUE.prefix())
        ? queue(application, name).id().value()
        : endpoints.named(application, name).id().value();
  }

  private Queue queue(Application application, String name) {
    Queue queue = queues.find(application.id(), name);
    if (queue == null) {
      throw ApiError.notFound("queue");
    }
    return queue;
  }

  /** How a source verified the message. */
  static @Nullable String signature(Query query) {
    return query.oneOfTexts("signature", SIGNATURES);
  }

  static @Nullable DeliveryStatus status(Query query) {
    String text = query.oneOfTexts("status", STATUSES);
    return Arrays.stream(DeliveryStatus.values())
        .filter(status -> status.text().equals(text))
        .findFirst()
        .orElse(null);
  }

  void get(Call call) {
    Application application = applications.inPath(call);
    write(call, application, inPath(call, application));
  }

  private void write(Call call, Application application, DeliveryView delivery) {
    Listed item = new Listed(application.id().value(), delivery);
    JsonOut.ItemWriting<Listed> writing = out.items(call, List.of(item));
    call.json(200, json -> json.object(o -> writing.write(o, item)));
  }

  /**
   * Now: a dead letter or a canceled delivery on a fresh schedule, a pending one on its schedule.
   */
  void retry(Call call) {
    Application application = applications.inPath(call);
    DeliveryView delivery = inPath(call, application);
    String lane = delivery.laneId().text(delivery.laneKind());
    if (delivery.toQueue()) {
      queue(application, lane);
    } else {
      EndpointLookup.refuseDisabled(endpoints.named(application, lane));
    }
    Message message =
        messages.find(application.id(), delivery.messageId().text(IdKind.MESSAGE), true);
    if (message == null || message.payload() == null) {
      throw new ApiError(
          400,
          "missing_payload",
          "the payload of the message has expired and cannot be sent again");
    }
    if (!redrive.redrive(application.id(), delivery)) {
      throw ApiError.conflict(
          "the delivery has the status "
              + delivery.status().text()
              + "; only pending, failed, dead_letter and canceled deliveries can be retried");
    }
    call.json(202, out -> out.object(o -> o.text("id", delivery.id().text(IdKind.DELIVERY))));
  }

  /**
   * One that waits is canceled at once. One that is being sent is delivered or canceled by the
   * attempt in progress, so the answer may still say {@code sending}. Canceling again changes
   * nothing.
   */
  void cancel(Call call) {
    Application application = applications.inPath(call);
    cancel.cancelDelivery(application.id(), inPath(call, application));
    DeliveryView delivery = inPath(call, application);
    if (delivery.status() == DeliveryStatus.DELIVERED
        || delivery.status() == DeliveryStatus.DEAD_LETTER) {
      throw ApiError.conflict(
          "the delivery has the status "
              + delivery.status().text()
              + "; only pending, sending and failed deliveries can be canceled");
    }
    write(call, application, delivery);
  }

  /** All unfinished deliveries of a message. */
  void cancelMessage(Call call) {
    Application application = applications.inPath(call);
    Message message = lookup.inPath(call, application, false);
    Cancel.Result result = cancel.cancelMessage(application.id(), message.id());
    call.json(
        200,
        out ->
            out.object(
                o -> o.number("canceled", result.canceled()).number("sending", result.sending())));
  }

  private DeliveryView inPath(Call call, Application application) {
    Id id = Id.parse(IdKind.DELIVERY, call.path("delivery"));
    @Nullable DeliveryView found =
        id == null ? null : reader.find(application.id(), new DeliveryId(id));
    if (found == null) {
      throw ApiError.notFound("delivery");
    }
    return found;
  }
}
