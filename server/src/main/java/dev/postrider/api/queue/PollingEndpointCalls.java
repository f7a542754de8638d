package dev.postrider.api.queue;

import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Query;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.api.tenant.HiddenSecrets;
import dev.postrider.engine.services.QueueServices;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.queue.Queue;
import dev.postrider.queue.QueueOffsetStore;
import dev.postrider.queue.QueueStore;
import dev.postrider.queue.QueueTokenStore;
import dev.postrider.tenant.Application;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The newer polling API of Svix clients: a consumer gets a numbered batch under a lease, until it
 * commits the batch. Also manages the tokens for all polling calls of a queue.
 */
final class PollingEndpointCalls {
  private static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 250;
  private static final int DEFAULT_LEASE_MS = 30_000;
  private static final int MAX_LEASE_MS = (int) Duration.ofHours(12).toMillis();
  private static final Duration LONGEST_TOKEN = Duration.ofDays(365);
  private static final Duration LONGEST_OVERLAP = Duration.ofDays(1);
  private static final Duration DEFAULT_OVERLAP = Duration.ofMinutes(5);
  private static final List<String> STARTS = List.of("earliest", "latest");

  private final ApplicationLookup applications;
  private final QueueAccess access;
  private final PollerCalls poller;
  private final QueueStore queues;
  private final QueueOffsetStore offsets;
  private final QueueTokenStore tokens;
  private final TimeSource time;

  PollingEndpointCalls(
      ApplicationLookup applications,
      QueueAccess access,
      PollerCalls poller,
      QueueServices services,
      TimeSource time) {
    this.applications = applications;
    this.access = access;
    this.poller = poller;
    this.queues = services.store();
    this.offsets = services.offsets();
    this.tokens = services.tokens();
    this.time = time;
  }

  /** A message with its number in the batch, which the consumer commits. */
  private record Numbered(long number, PollerCalls.Shown shown) {}

  void poll(Call call) {
    Queue queue = access.poller(call);
    String consumer = PollerCalls.consumer(call);
    Query query = call.query();
    int limit = query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
    int lease = query.number("lease_duration_ms", DEFAULT_LEASE_MS, 0, MAX_LEASE_MS);
    boolean latest = "latest".equals(query.oneOfTexts("starting_position", STARTS));
    Id start = latest ? Id.floorOf(time.nowMs()) : Id.ZERO;
    while (true) {
      QueueOffsetStore.Place place = offsets.free(queue, consumer, start);
      if (place == null) {
        answer(call, List.of(), true);
        return;
      }
      PollerCalls.Stretch stretch = poller.read(queue, place.position(), null, null, limit);
      if (stretch.shown().isEmpty()) {
        if (stretch.seen() == 0) {
          answer(call, List.of(), true);
          return;
        }
        // These are not shown: the next read starts after them.
        boolean _ = offsets.skip(queue, consumer, place, stretch.last());
        continue;
      }
      List<Long> numbers =
          offsets.lease(
              queue,
              consumer,
              place,
              stretch.shown().stream().map(one -> one.entry().position()).toList(),
              lease);
      if (!numbers.isEmpty()) {
        answer(call, numbered(numbers, stretch.shown()), stretch.seen() < limit);
        return;
      }
    }
  }

  private static List<Numbered> numbered(List<Long> numbers, List<PollerCalls.Shown> entries) {
    return java.util.stream.IntStream.range(0, numbers.size())
        .mapToObj(i -> new Numbered(numbers.get(i), entries.get(i)))
        .toList();
  }

  private static void answer(Call call, List<Numbered> data, boolean done) {
    call.json(
        200,
        out ->
            out.object(
                o ->
                    o.array(
                            "data",
                            data,
                            (item, one) -> {
                              item.number("offset", one.number());
                              PollerCalls.write(item, one.shown());
                            })
                        .flag("done", done)));
  }

  void commit(Call call) throws IOException {
    Queue queue = access.poller(call);
    String consumer = PollerCalls.consumer(call);
    Fields fields = call.fields();
    Long offset = fields.number("offset", 0, Long.MAX_VALUE);
    if (offset == null && !fields.has("offset")) {
      fields.problem("offset", "is required");
    }
    fields.check();
    if (offset == null || !offsets.commit(queue, consumer, offset)) {
      throw new InvalidFields(
          Problem.inBody(
              "offset", "was not issued to this consumer; use the iterator of its last poll"));
    }
    call.noContent();
  }

  // ---- tokens ----

  void token(Call call) {
    HiddenSecrets.refuseIfHidden(applications.inPath(call));
    QueueTokenStore.Token token = tokens.current(call.environmentId(), inPath(call));
    if (token == null) {
      throw new ApiError(
          404,
          "not_found",
          "the queue does not have a valid token; create one with POST …/token/rotate");
    }
    answer(call, 200, token);
  }

  void rotate(Call call) throws IOException {
    Fields fields = call.fieldsIfAny();
    Long expiry = fields.number("expiry", 1, LONGEST_TOKEN.toSeconds());
    Long overlap = fields.number("oldTokenExpiry", 0, LONGEST_OVERLAP.toSeconds());
    fields.check();
    Application application = applications.inPath(call);
    answer(
        call,
        201,
        tokens.rotate(
            application,
            inPath(call),
            expiry == null ? null : Duration.ofSeconds(expiry),
            overlap == null ? DEFAULT_OVERLAP : Duration.ofSeconds(overlap)));
  }

  private Queue inPath(Call call) {
    Application application = applications.named(call.environmentId(), call.path("application"));
    @Nullable Queue queue = queues.find(application.id(), call.path("queue"));
    if (queue == null) {
      throw ApiError.notFound("queue");
    }
    return queue;
  }

  private static void answer(Call call, int status, QueueTokenStore.Token token) {
    call.json(
        status,
        out ->
            out.object(
                o ->
                    o.text("token", token.text())
                        .text("id", token.id().text(IdKind.API_KEY))
                        .textOrNull("name", null)
                        .time("createdAt", token.createdAt())
                        .timeOrNull("expiresAt", token.expiresAt())
                        .texts("scopes", List.of("poller"))));
  }
}
