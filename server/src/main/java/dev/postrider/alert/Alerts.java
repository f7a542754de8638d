package dev.postrider.alert;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.QueueEnd;
import dev.postrider.endpoint.RouteTarget;
import dev.postrider.endpoint.Routing;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.inbound.RejectedRequest;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.Acceptor;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.BatchQueue;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Sends messages to the alert targets when deliveries, circuits or sources fail. */
public final class Alerts implements DeliveryListener, AutoCloseable {
  /** The uid of the application whose endpoints are the targets. */
  public static final String APPLICATION = "postrider-alerts";

  static final int QUEUE = 1_000;
  static final int MAX_ATTEMPTS = 30;
  static final int KNOWN_OWNERS = 10_000;
  static final int LANES_LOOKED_AT = 500;
  static final Duration LAG_EVERY = Duration.ofSeconds(30);
  private static final long WAIT_MS = 500;
  private static final Duration STOP_WITHIN = Duration.ofSeconds(5);
  private static final System.Logger LOG = System.getLogger(Alerts.class.getName());

  /** An alert that waits in the queue and is not yet checked against the rate limit. */
  private record PendingAlert(
      AlertKind kind, Id applicationId, String subject, String text, Map<String, String> facts)
      implements BatchQueue.Sized {
    @Override
    public int sizeInBytes() {
      return text.length();
    }
  }

  /** The lanes that this instance knows to have pending deliveries. */
  @FunctionalInterface
  public interface WaitingLanes {
    /** Up to that many whose deliveries are due since then or earlier. */
    List<Id> since(long dueMs, int limit);
  }

  private final AlertStore store;
  private final Routing.Source routings;
  private final Acceptor acceptor;
  private final WaitingLanes lanes;
  private final TimeSource time;
  private final Duration lag;
  private final Map<Id, AlertStore.Owner> owners = new HashMap<>();
  private final AlertRateLimiter limiter = new AlertRateLimiter();
  private final AtomicLong dropped = new AtomicLong();
  private final BatchQueue<PendingAlert> queue = new BatchQueue<>(QUEUE, Long.MAX_VALUE);
  private final PeriodicLoop loop =
      new PeriodicLoop("alerts", this::turn, PeriodicLoop.Options.DEFAULT.endsWhen(queue::isEmpty));
  private long lagLookedAtMs;

  /**
   * @param lag deliveries that are overdue for longer than this are late
   */
  public Alerts(
      Database database,
      Routing.Source routings,
      Acceptor acceptor,
      WaitingLanes lanes,
      TimeSource time,
      Duration lag) {
    this.store = new AlertStore(database);
    this.routings = routings;
    this.acceptor = acceptor;
    this.lanes = lanes;
    this.time = time;
    this.lag = lag;
  }

  public void start() {
    lagLookedAtMs = time.nowMs();
    loop.start();
  }

  @Override
  public void close() {
    loop.stop(STOP_WITHIN);
  }

  /** How many did not fit into the queue. */
  public long dropped() {
    return dropped.get();
  }

  // ---- receiving events ----

  @Override
  public void finished(Outcome outcome, Finish finish) {
    Delivery delivery = outcome.delivery();
    if (finish.status() != DeliveryStatus.DEAD_LETTER
        || delivery.step() != null // a failed step is the business of its workflow
        || delivery.eventType().startsWith(AlertKind.PREFIX)) {
      return;
    }
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("delivery_id", delivery.id().text(IdKind.DELIVERY));
    facts.put("message_id", delivery.messageId().text(IdKind.MESSAGE));
    facts.put("event_type", delivery.eventType());
    facts.put("reason", String.valueOf(EndReason.textOf(finish.reason())));
    deadLetter(delivery.applicationId(), delivery.laneId().text(IdKind.ENDPOINT), facts);
  }

  @Override
  public void queueEnded(QueueEnd end) {
    if (end.status() == DeliveryStatus.DEAD_LETTER) {
      Map<String, String> facts = new LinkedHashMap<>();
      facts.put("delivery_id", end.deliveryId().text(IdKind.DELIVERY));
      facts.put("message_id", end.messageId().text(IdKind.MESSAGE));
      facts.put("reason", String.valueOf(EndReason.textOf(end.reason())));
      deadLetter(end.applicationId(), end.queueId().text(IdKind.QUEUE), facts);
    }
  }

  private void deadLetter(Id applicationId, String exit, Map<String, String> facts) {
    enqueue(
        AlertKind.DEAD_LETTER,
        applicationId,
        exit,
        "%s to %s became a dead letter (%s)"
            .formatted(facts.get("message_id"), exit, facts.get("reason")),
        facts);
  }

  @Override
  public void circuitOpened(Id applicationId, Id laneId, long untilMs) {
    String endpoint = laneId.text(IdKind.ENDPOINT);
    enqueue(
        AlertKind.CIRCUIT_OPENED,
        applicationId,
        endpoint,
        endpoint + " keeps failing; its circuit breaker is open",
        Map.of());
  }

  public void rejected(RejectedRequest rejected) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("source", rejected.source());
    facts.put("status", Integer.toString(rejected.refusal().status()));
    facts.put("reason", rejected.refusal().reason());
    facts.put("address", rejected.address());
    facts.put("rejected_id", rejected.id().text(IdKind.REJECTED));
    boolean unverified = rejected.unverified();
    enqueue(
        unverified ? AlertKind.VERIFICATION_FAILURE : AlertKind.REQUEST_REJECTED,
        rejected.applicationId(),
        rejected.source(),
        "a request from %s to source %s was %s: %s"
            .formatted(
                rejected.address(),
                rejected.source(),
                unverified ? "not verified" : "rejected",
                rejected.refusal().reason()),
        facts);
  }

  private void enqueue(
      AlertKind kind, Id application, String subject, String text, Map<String, String> facts) {
    if (!queue.offer(List.of(new PendingAlert(kind, application, subject, text, facts)))) {
      dropped.incrementAndGet();
    }
  }

  // ---- sending alerts ----

  private long turn() {
    List<PendingAlert> next = new ArrayList<>();
    queue.take(next, 1, Long.MAX_VALUE, WAIT_MS);
    try {
      next.forEach(this::process);
      lookForLag();
    } catch (DatabaseUnavailable e) {
      LOG.log(
          Level.DEBUG, "alerts are delayed until the database is available: {0}", e.getMessage());
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "an alert was lost", e);
    }
    return 0;
  }

  private void lookForLag() {
    long now = time.nowMs();
    if (now - lagLookedAtMs < LAG_EVERY.toMillis()) {
      return;
    }
    lagLookedAtMs = now;
    List<Id> waiting = lanes.since(now, LANES_LOOKED_AT);
    for (AlertStore.Late late : store.late(waiting, now - lag.toMillis())) {
      String endpoint = late.laneId().text(IdKind.ENDPOINT);
      long seconds = (now - late.dueMs()) / 1_000;
      process(
          new PendingAlert(
              AlertKind.LAG,
              late.applicationId(),
              endpoint,
              "a delivery to %s is %d s late".formatted(endpoint, seconds),
              Map.of("late_seconds", Long.toString(seconds))));
    }
  }

  private void process(PendingAlert pending) {
    AlertStore.Owner owner = owner(pending.applicationId());
    if (owner == null || owner.name().equals(APPLICATION)) {
      return;
    }
    long now = time.nowMs();
    int leftOut =
        limiter.acquire(
            owner.environmentId(), pending.kind().text() + ' ' + pending.subject(), now);
    if (leftOut == AlertRateLimiter.NOT_NOW) {
      return;
    }
    Routing targets = targets(owner.environmentId());
    if (targets != null) {
      send(
          owner.environmentId(),
          targets,
          new Alert(
              pending.kind(),
              owner.name(),
              pending.subject(),
              owner.name() + ": " + pending.text(),
              leftOut,
              now,
              pending.facts()));
    }
  }

  private AlertStore.@Nullable Owner owner(Id applicationId) {
    AlertStore.Owner known = owners.get(applicationId);
    if (known != null) {
      return known;
    }
    AlertStore.Owner found = store.owner(applicationId);
    if (found != null) {
      if (owners.size() >= KNOWN_OWNERS) {
        owners.clear();
      }
      owners.put(applicationId, found);
    }
    return found;
  }

  /** Reads the database, not the cache: an accept for alerts does not detect a stale routing. */
  private @Nullable Routing targets(String environmentId) {
    return routings.current(environmentId, APPLICATION);
  }

  private static boolean wanted(Routing targets, AlertKind kind, AlertForm form) {
    for (RouteTarget target : targets.targets()) {
      if (target.takes(kind.eventType(), List.of(form.text()))) {
        return true;
      }
    }
    return false;
  }

  private void send(String environmentId, Routing targets, Alert alert) {
    for (AlertForm form : AlertForm.values()) {
      if (wanted(targets, alert.kind(), form)) {
        accept(
            new NewMessage(
                environmentId,
                APPLICATION,
                alert.kind().eventType(),
                null,
                List.of(form.text()),
                List.of(),
                form.body(alert),
                null,
                null,
                null,
                NewMessage.Schedule.NONE,
                null));
      }
    }
  }

  /** An alert is retried while the database is unavailable for a short time. */
  private void accept(NewMessage message) {
    @Nullable AcceptResult result = null;
    for (int attempt = 0; attempt < MAX_ATTEMPTS && !loop.isStopping(); attempt++) {
      result = acceptor.accept(message);
      if (!(result instanceof AcceptResult.Refused)) {
        break;
      }
      LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(1));
    }
    if (!(result instanceof AcceptResult.Accepted)) {
      LOG.log(Level.WARNING, "an alert could not be sent as a message: {0}", result);
    }
  }
}
