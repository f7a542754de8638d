package dev.postrider.live;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.QueueEnd;
import dev.postrider.delivery.StatusChange;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.inbound.RejectedRequest;
import dev.postrider.json.Json;
import dev.postrider.json.Times;
import dev.postrider.storage.BatchQueue;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Records the events of this instance, and sends the events of all instances to its clients. */
public final class LiveFeed implements DeliveryListener, AutoCloseable {
  public static final int MAX_CLIENTS = 200;
  static final int QUEUE = 10_000;
  static final int BATCH = 500;

  /** Rows of other instances may be committed this much later than the time in their ids. */
  static final Duration OVERLAP = Duration.ofSeconds(3);

  static final long LOOK_EVERY_MS = 500;
  static final long USE_EVERY_MS = 5_000;
  private static final int REMEMBERED = 20_000;
  private static final int KNOWN_APPLICATIONS = 50_000;
  private static final Duration STOP_WITHIN = Duration.ofSeconds(5);
  private static final System.Logger LOG = System.getLogger(LiveFeed.class.getName());

  /** An event in the queue whose environment and session are not loaded yet. */
  private record Note(Id applicationId, @Nullable Id deliveryId, String kind, ObjectNode data)
      implements BatchQueue.Sized {
    @Override
    public int sizeInBytes() {
      return 0; // bounded by their number
    }
  }

  private final LiveStore store;
  private final Ids ids;
  private final TimeSource time;
  private final Duration keep;
  private final EventPublisher events;
  private final BatchQueue<Note> queue = new BatchQueue<>(QUEUE, Long.MAX_VALUE);
  private final List<LiveClient> clients = new CopyOnWriteArrayList<>();
  private final AtomicLong dropped = new AtomicLong();
  private final Map<Id, String> environments = new HashMap<>();
  private final RecentIds forwarded = new RecentIds(REMEMBERED);
  private final PeriodicLoop writer =
      new PeriodicLoop(
          "live-write", this::write, PeriodicLoop.Options.DEFAULT.endsWhen(queue::isEmpty));
  private final PeriodicLoop forwarder = new PeriodicLoop("live-forward", this::forward);
  private volatile long usedUntilMs;
  private volatile long usedReadAtMs;
  private long forwardedUpToMs;

  public LiveFeed(LiveStore store, Ids ids, TimeSource time, Duration keep, EventPublisher events) {
    this.events = events;
    this.store = store;
    this.ids = ids;
    this.time = time;
    this.keep = keep;
  }

  public void start() {
    writer.start();
    forwarder.start();
  }

  /** Closes the streams of the clients and writes the queued events, for a short time. */
  @Override
  public void close() {
    forwarder.requestStop();
    clients.forEach(LiveClient::end);
    writer.stop(STOP_WITHIN);
    forwarder.stop(STOP_WITHIN);
  }

  /** A client may have connected to another instance; checked within {@link #LOOK_EVERY_MS}. */
  public void lookSoon() {
    usedReadAtMs = 0;
  }

  /** How many events did not fit into the queue. */
  public long dropped() {
    return dropped.get();
  }

  public int clients() {
    return clients.size();
  }

  // ---- receiving events ----

  @Override
  public void finished(Outcome outcome, Finish finish) {
    if (outcome.delivery().step() != null) {
      return; // the feed is about messages
    }
    boolean dead = finish.status() == DeliveryStatus.DEAD_LETTER;
    if (dead || used()) {
      Delivery delivery = outcome.delivery();
      ObjectNode data = Json.MAPPER.createObjectNode();
      data.put("deliveryId", delivery.id().text(IdKind.DELIVERY));
      data.put("messageId", delivery.messageId().text(IdKind.MESSAGE));
      data.put("endpointId", delivery.laneId().text(IdKind.ENDPOINT));
      data.put("eventType", delivery.eventType());
      data.put("status", finish.status().text());
      data.put("attempt", delivery.number());
      Long next = finish.nextAttemptAtMs();
      data.put("nextAttemptAt", next == null ? null : Times.text(next));
      data.put("reason", EndReason.textOf(finish.reason()));
      offer(
          new Note(delivery.applicationId(), delivery.id(), dead ? "dead_letter" : "status", data));
    }
  }

  @Override
  public void queueEnded(QueueEnd end) {
    boolean dead = end.status() == DeliveryStatus.DEAD_LETTER;
    if (dead || used()) {
      ObjectNode data = Json.MAPPER.createObjectNode();
      data.put("deliveryId", end.deliveryId().text(IdKind.DELIVERY));
      data.put("messageId", end.messageId().text(IdKind.MESSAGE));
      data.put("endpointId", end.queueId().text(IdKind.QUEUE));
      data.put("status", end.status().text());
      data.put("attempt", end.version());
      data.put("reason", EndReason.textOf(end.reason()));
      offer(new Note(end.applicationId(), end.deliveryId(), dead ? "dead_letter" : "status", data));
    }
  }

  @Override
  public void accepted(Id applicationId, Id messageId, String eventType, int deliveries) {
    if (used()) {
      ObjectNode data = Json.MAPPER.createObjectNode();
      data.put("messageId", messageId.text(IdKind.MESSAGE));
      data.put("eventType", eventType);
      data.put("status", "accepted");
      data.put("deliveries", deliveries);
      offer(new Note(applicationId, null, "accepted", data));
    }
  }

  @Override
  public void statusChanged(StatusChange change) {
    if (used()) {
      Long next = change.nextAttemptAtMs();
      for (Id delivery : change.deliveries()) {
        ObjectNode data = Json.MAPPER.createObjectNode();
        data.put("deliveryId", delivery.text(IdKind.DELIVERY));
        data.put("endpointId", change.laneId().text(change.laneKind()));
        data.put("status", change.status().text());
        data.put("nextAttemptAt", next == null ? null : Times.text(next));
        data.put("reason", EndReason.textOf(change.reason()));
        offer(new Note(change.applicationId(), delivery, "status", data));
      }
    }
  }

  /** Its sender is gone, and it is unknown whether it was sent: it will be retried. */
  @Override
  public void rescued(LeaseRef lease) {
    if (used()) {
      ObjectNode data = lane(lease.laneId());
      data.put("deliveryId", lease.deliveryId().text(IdKind.DELIVERY));
      data.put("status", DeliveryStatus.FAILED.text());
      data.put("attempt", lease.leaseVersion());
      offer(new Note(lease.applicationId(), lease.deliveryId(), "status", data));
    }
  }

  @Override
  public void circuitOpened(Id applicationId, Id laneId, long untilMs) {
    ObjectNode data = lane(laneId);
    data.put("openUntil", Times.text(untilMs));
    offer(new Note(applicationId, null, "circuit_opened", data));
  }

  @Override
  public void circuitClosed(Id applicationId, Id laneId) {
    offer(new Note(applicationId, null, "circuit_closed", lane(laneId)));
  }

  private static ObjectNode lane(Id laneId) {
    ObjectNode data = Json.MAPPER.createObjectNode();
    data.put("endpointId", laneId.text(IdKind.ENDPOINT));
    return data;
  }

  public void rejected(RejectedRequest rejected) {
    ObjectNode data = Json.MAPPER.createObjectNode();
    data.put("source", rejected.source());
    data.put("status", rejected.refusal().status());
    data.put("reason", rejected.refusal().reason());
    data.put("address", rejected.address());
    data.put("rejectedId", rejected.id().text(IdKind.REJECTED));
    String kind = rejected.unverified() ? "signature_failure" : "request_rejected";
    offer(new Note(rejected.applicationId(), null, kind, data));
  }

  private boolean used() {
    return !clients.isEmpty() || time.nowMs() < usedUntilMs;
  }

  private void offer(Note note) {
    if (!queue.offer(List.of(note))) {
      dropped.incrementAndGet();
    }
  }

  // ---- writing ----

  private long write() {
    List<Note> batch = new ArrayList<>();
    queue.take(batch, BATCH, Long.MAX_VALUE, LOOK_EVERY_MS);
    try {
      if (!batch.isEmpty()) {
        store.insert(events(batch));
        forwarder.wake();
      }
      lookAtUse();
    } catch (DatabaseUnavailable e) {
      LOG.log(
          Level.DEBUG,
          "the live feed is delayed until the database is available: {0}",
          e.getMessage());
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "live events were lost", e);
    }
    return 0;
  }

  private void lookAtUse() {
    long now = time.nowMs();
    if (now - usedReadAtMs >= USE_EVERY_MS) {
      usedReadAtMs = now;
      if (!clients.isEmpty()) {
        store.use(now + keep.toMillis());
      }
      usedUntilMs = store.usedUntil();
    }
  }

  private List<LiveEvent> events(List<Note> notes) {
    Map<Id, Set<Id>> deliveries = new HashMap<>();
    Set<Id> unknown = new HashSet<>();
    for (Note note : notes) {
      if (!environments.containsKey(note.applicationId())) {
        unknown.add(note.applicationId());
      }
      Id delivery = note.deliveryId();
      if (delivery != null) {
        deliveries.computeIfAbsent(note.applicationId(), _ -> new HashSet<>()).add(delivery);
      }
    }
    if (environments.size() > KNOWN_APPLICATIONS) {
      environments.clear();
      notes.forEach(note -> unknown.add(note.applicationId()));
    }
    environments.putAll(store.environments(unknown));
    Map<Id, LiveStore.Subject> subjects = new HashMap<>();
    deliveries.forEach((application, some) -> subjects.putAll(store.subjects(application, some)));
    List<LiveEvent> events = new ArrayList<>();
    for (Note note : notes) {
      String environment = environments.get(note.applicationId());
      if (environment != null) {
        Id delivery = note.deliveryId();
        events.add(event(note, environment, delivery == null ? null : subjects.get(delivery)));
      }
    }
    return events;
  }

  private LiveEvent event(Note note, String environment, LiveStore.@Nullable Subject subject) {
    Id id = ids.next();
    String session = subject == null ? null : subject.sessionId();
    ObjectNode data = Json.MAPPER.createObjectNode();
    data.put("id", id.text(IdKind.LIVE_EVENT));
    data.put("type", note.kind());
    data.put("timestamp", Times.text(id.epochMs()));
    data.put("applicationId", note.applicationId().text(IdKind.APPLICATION));
    data.put("sessionId", session);
    if (subject != null) {
      data.put("messageId", subject.messageId().text(IdKind.MESSAGE));
    }
    data.setAll(note.data());
    return new LiveEvent(
        id, environment, note.applicationId(), session, note.kind(), data.toString());
  }

  // ---- sending to clients ----

  /**
   * A new client, or null if there are too many.
   *
   * @param after the last event that it saw; events around it may be sent again
   */
  public @Nullable LiveClient join(LiveFilter filter, @Nullable Id after) {
    if (clients.size() >= MAX_CLIENTS || forwarder.isStopping()) {
      return null;
    }
    Id from = after == null ? Id.ZERO : Id.floorOf(after.epochMs() - OVERLAP.toMillis());
    LiveClient client = new LiveClient(this, store, filter, after, from);
    if (clients.isEmpty()) {
      store.use(time.nowMs() + keep.toMillis());
      events.publish(new FeedOpened());
    }
    clients.add(client);
    return client;
  }

  void leave(LiveClient client) {
    clients.remove(client);
  }

  private long forward() {
    try {
      if (clients.isEmpty()) {
        forwardedUpToMs = time.nowMs();
      } else {
        forwardNew();
      }
    } catch (DatabaseUnavailable e) {
      LOG.log(
          Level.DEBUG,
          "the live feed is delayed until the database is available: {0}",
          e.getMessage());
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "live events could not be sent to clients", e);
    }
    return LOOK_EVERY_MS;
  }

  private void forwardNew() {
    Id from = Id.floorOf(forwardedUpToMs - OVERLAP.toMillis());
    List<LiveEvent> page;
    do {
      page = store.after(from, BATCH);
      for (LiveEvent event : page) {
        if (forwarded.add(event.id())) {
          clients.forEach(client -> client.offer(event));
        }
        forwardedUpToMs = Math.max(forwardedUpToMs, event.id().epochMs());
        from = event.id();
      }
    } while (page.size() == BATCH && !forwarder.isStopping());
  }
}
