package dev.postrider.api.queue;

import dev.postrider.api.form.FieldInput;
import dev.postrider.api.form.FieldOutput;
import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.form.PayloadOut;
import dev.postrider.api.form.RequestForms;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Query;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.store.DeliveryFilter;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.engine.services.QueueServices;
import dev.postrider.expression.Expressions;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import dev.postrider.queue.Queue;
import dev.postrider.queue.QueueFields;
import dev.postrider.queue.QueueItem;
import dev.postrider.queue.QueueItem.Receipt;
import dev.postrider.queue.QueueKeys;
import dev.postrider.queue.QueueStore;
import dev.postrider.queue.Queues;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** The API calls for pull queues, for owners and consumers. */
final class QueueCalls {
  private static final TextRule RECEIPT = TextRule.of(1, 64);
  private static final int PEEKED = 10;

  /** Maximum number of messages of a queue that the list of all queues counts. */
  private static final int COUNTED_IN_LISTS = 10_000;

  private static final int MAX_DELAY_SECONDS = 12 * 3_600;

  private final ApplicationLookup applications;
  private final QueueStore store;
  private final Queues queues;
  private final QueueAccess access;
  private final DeliveryReader deliveries;
  private final Expressions expressions;
  private final SecureRandom random;
  private final TimeSource time;

  QueueCalls(
      ApplicationLookup applications,
      QueueServices services,
      QueueAccess access,
      DeliveryReader deliveries,
      Expressions expressions,
      SecureRandom random,
      TimeSource time) {
    this.applications = applications;
    this.store = services.store();
    this.queues = services.queues();
    this.access = access;
    this.deliveries = deliveries;
    this.expressions = expressions;
    this.random = random;
    this.time = time;
  }

  void list(Call call) {
    Application application = applications.inPath(call);
    List<Queue> all = store.list(application.id());
    call.json(200, out -> out.object(o -> o.array("data", all, this::write).flag("done", true)));
  }

  /** Those of all applications of the environment, or of the application of the key. */
  void all(Call call) {
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.QUEUE, text));
    Application application = applications.inQuery(call);
    Keyset.Page<QueueStore.Listed> page =
        store.all(call.environmentId(), application == null ? null : application.id(), keyset);
    call.json(
        200,
        Pages.page(
            page,
            listed -> idText(listed.queue()),
            (out, listed) -> {
              out.text("applicationId", listed.queue().applicationId().text())
                  .textOrNull("applicationUid", listed.applicationUid());
              write(out, listed.queue(), queues.depth(listed.queue(), COUNTED_IN_LISTS));
            }));
  }

  void create(Call call) throws IOException {
    Application application = applications.inPath(call);
    Fields fields = call.fields();
    String name = fields.text("name", Limits.UID_RULE);
    RequestForms.refuseIdAsUid(fields, name, IdKind.QUEUE);
    FieldInput input = input(application.id().value(), fields, true);
    Queue.Spec spec = change(input).apply(Queue.Spec.of(""));
    String key = key(input);
    Queue made = store.create(application, spec, key);
    if (made == null) {
      throw ApiError.notFound("application");
    }
    call.json(
        201,
        out ->
            out.object(
                o -> {
                  write(o, made);
                  o.text("key", key);
                }));
  }

  void get(Call call) {
    Queue queue = access.inPath(call);
    call.json(200, out -> out.object(o -> write(o, queue)));
  }

  void patch(Call call) throws IOException {
    Queue queue = access.inPath(call);
    UnaryOperator<Queue.Spec> change =
        change(input(queue.applicationId().value(), call.fields(), false));
    Queue changed = store.update(queue.applicationId(), idText(queue), change);
    if (changed == null) {
      throw ApiError.notFound("queue");
    }
    call.json(200, out -> out.object(o -> write(o, changed)));
  }

  void delete(Call call) {
    Queue queue = access.inPath(call);
    if (!store.delete(queue.applicationId(), idText(queue))) {
      throw ApiError.notFound("queue");
    }
    call.noContent();
  }

  void rotateKey(Call call) throws IOException {
    Queue queue = access.inPath(call);
    Fields fields = call.fieldsIfAny();
    FieldInput input = new FieldInput(fields, true, checks(queue.applicationId().value()));
    input.read(QueueFields.KEY);
    fields.check();
    String key = key(input);
    if (!store.rotateKey(queue, key)) {
      throw ApiError.notFound("queue");
    }
    call.json(200, out -> out.object(o -> o.text("key", key)));
  }

  /** Requeues dead letters. */
  void redrive(Call call) {
    Queue queue = access.inPath(call);
    int redriven = queues.redrive(queue);
    call.json(200, out -> out.object(o -> o.number("redriven", redriven)));
  }

  /** The messages of the queue, without receiving them. */
  void peek(Call call) {
    Queue queue = access.inPath(call);
    List<QueueItem.Held> held =
        queues.peek(queue, call.query().number("limit", PEEKED, 1, Queues.MAX_BATCH));
    long now = time.nowMs();
    call.json(
        200, out -> out.object(o -> o.array("data", held, (one, item) -> write(one, item, now))));
  }

  void deadLetters(Call call) {
    Queue queue = access.inPath(call);
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.DELIVERY, text), false);
    DeliveryFilter filter =
        new DeliveryFilter(DeliveryStatus.DEAD_LETTER, queue.id().value(), null, null, null);
    call.json(
        200,
        Pages.searched(
            deliveries.list(queue.applicationId(), filter, keyset),
            keyset.backward(),
            IdKind.DELIVERY,
            delivery -> delivery.id().text(IdKind.DELIVERY),
            (out, delivery) ->
                out.text("id", delivery.id().text(IdKind.DELIVERY))
                    .text("msgId", delivery.messageId().text(IdKind.MESSAGE))
                    .number("attempts", delivery.attempts())
                    .textOrNull("reason", delivery.reason())
                    .textOrNull("detail", delivery.detail())
                    .time("createdAt", delivery.createdAtMs())));
  }

  // ---- consumers ----

  /** Waits for messages and leases them to the consumer. */
  void receive(Call call) {
    Queue queue = access.reader(call);
    Query query = call.query();
    int batch = query.number("batch", 1, 1, Queues.MAX_BATCH);
    int wait = query.number("wait", 0, 0, (int) Queues.MAX_WAIT.toSeconds());
    int visibility =
        query.number(
            "visibility_timeout_ms",
            0,
            (int) Queue.MIN_VISIBILITY.toMillis(),
            (int) Queue.MAX_VISIBILITY.toMillis());
    List<QueueItem> items =
        queues.receive(
            queue,
            batch,
            Duration.ofSeconds(wait),
            visibility == 0 ? null : Duration.ofMillis(visibility));
    call.json(200, out -> out.object(o -> o.array("data", items, QueueCalls::write)));
  }

  void ack(Call call) throws IOException {
    Queue queue = access.reader(call);
    Fields fields = call.fields();
    List<Receipt> receipts = receipts(fields);
    fields.check();
    ended(call, receipts, queues.ack(queue, receipts), "acked");
  }

  void nack(Call call) throws IOException {
    Queue queue = access.reader(call);
    Fields fields = call.fields();
    List<Receipt> receipts = receipts(fields);
    Integer delay = fields.integer("delaySeconds", 0, MAX_DELAY_SECONDS);
    fields.check();
    ended(
        call,
        receipts,
        queues.nack(queue, receipts, Duration.ofSeconds(delay == null ? 0 : delay)),
        "nacked");
  }

  private static List<Receipt> receipts(Fields fields) {
    List<String> texts = fields.texts("receipts", 1, Queues.MAX_BATCH, RECEIPT);
    List<Receipt> receipts = new ArrayList<>();
    if (texts == null) {
      fields.problem("receipts", "is required: the receipts of received messages");
      return receipts;
    }
    for (String text : texts) {
      Receipt receipt = Receipt.parse(text);
      if (receipt == null) {
        fields.problem(
            "receipts",
            "contains a receipt that is not valid; send the receipts unchanged, as received");
      } else {
        receipts.add(receipt);
      }
    }
    return receipts;
  }

  /** Which receipts were valid, and which were too late. */
  private static void ended(Call call, List<Receipt> asked, List<Receipt> done, String name) {
    Set<Receipt> counted = new HashSet<>(done);
    List<String> late =
        asked.stream().filter(receipt -> !counted.contains(receipt)).map(Receipt::text).toList();
    call.json(
        200,
        out ->
            out.object(
                o ->
                    o.texts(name, done.stream().map(Receipt::text).toList())
                        .texts("expired", late)));
  }

  // ---- forms ----

  private FieldInput input(Id applicationId, Fields fields, boolean whole) {
    FieldInput input = new FieldInput(fields, whole, checks(applicationId));
    QueueFields.ALL.forEach(input::read);
    fields.check();
    return input;
  }

  /** What is not given stays as it was. */
  private static UnaryOperator<Queue.Spec> change(FieldInput input) {
    return before -> new Queue.Spec(input.changes().onto(before.values()));
  }

  /** The key that the caller gave, or a new one. */
  private String key(FieldInput input) {
    String given = input.writeOnly().get(QueueFields.KEY);
    return given == null ? QueueKeys.generate(random) : given;
  }

  private FieldInput.Checks checks(Id applicationId) {
    return new FieldInput.Checks() {
      @Override
      public void checkExpression(String text) {
        expressions.ownedBy(applicationId).check(text);
      }
    };
  }

  private static String idText(Queue queue) {
    return queue.id().text();
  }

  private void write(JsonOut out, Queue queue) {
    write(out, queue, queues.depth(queue));
  }

  private static void write(JsonOut out, Queue queue, Queue.Depth depth) {
    out.text("id", idText(queue));
    FieldOutput.write(out, QueueFields.ALL, queue.spec().values());
    out.object(
            "depth",
            o ->
                o.number("waiting", depth.waiting())
                    .number("inFlight", depth.inFlight())
                    .number("delayed", depth.delayed())
                    .number("deadLetters", depth.deadLetters()))
        .time("createdAt", queue.createdAt())
        .time("updatedAt", queue.updatedAt());
  }

  private static void write(JsonOut out, QueueItem.Held held, long nowMs) {
    content(
        out.text("state", held.state(Instant.ofEpochMilli(nowMs)))
            .time("availableAt", held.item().visibleUntil()),
        held.item());
  }

  private static void write(JsonOut out, QueueItem item) {
    content(
        out.text("receipt", item.receipt().text()).time("visibleUntil", item.visibleUntil()), item);
  }

  private static void content(JsonOut out, QueueItem item) {
    QueueItem.Route route = item.route();
    out.text("deliveryId", item.deliveryId().text())
        .text("msgId", item.messageId().text())
        .text("eventType", item.eventType())
        .number("attempt", item.attempt())
        .text("contentType", item.contentType() == null ? "application/json" : item.contentType())
        .raw("headers", item.headers())
        .textOrNull("routeId", route == null ? null : route.id().text())
        .textOrNull("sessionId", item.sessionId())
        .time("timestamp", item.messageId().value().epochMs());
    if (route != null) { // spelled as in the body that a handler gets
      out.text("agent_intent", route.agentIntent())
          .textOrNull("target_session", route.targetSession());
      if (!route.annotations().isEmpty()) {
        out.textsByName("annotations", route.annotations());
      }
    }
    byte[] payload = item.payload();
    PayloadOut.write(out, payload == null ? new byte[0] : payload, item.contentType());
  }
}
