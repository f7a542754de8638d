package dev.postrider.delivery.loop;

import dev.postrider.crypto.MasterKeyUnavailable;
import dev.postrider.crypto.SecretUnreadable;
import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryEvent;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.Outcome.Meaning;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.delivery.http.HeaderList;
import dev.postrider.delivery.http.HttpResult;
import dev.postrider.delivery.http.HttpSender;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.delivery.lane.Egress;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.lane.LaneBook;
import dev.postrider.delivery.lane.LaneExecutor;
import dev.postrider.delivery.lane.LaneRoom;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.lane.TrustWindow;
import dev.postrider.delivery.policy.RetryAfter;
import dev.postrider.delivery.shape.SentHeaders;
import dev.postrider.delivery.shape.Shape;
import dev.postrider.delivery.shape.Shaper;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.limit.SendRate;
import dev.postrider.message.StepCall;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.StorageException;
import dev.postrider.time.Backoff;
import dev.postrider.time.TimeSource;
import dev.postrider.time.Waits;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Sends leased deliveries, each attempt on a virtual thread. No database connection is held while a
 * request is in progress.
 */
public final class Sender {
  /** The default request timeout, and the User-Agent header. */
  public record Settings(Duration timeout, String userAgent) {}

  /** Ends leases of deliveries that were not sent. */
  public interface Releases {
    void release(Delivery delivery, long nextAttemptAtMs);

    /** Without accessing the database now. */
    void drop(Delivery delivery);

    /** The lease stays in the table until it is rescued. */
    void leave(Delivery delivery);
  }

  /** The owner of the deliveries that are requests of workflow steps. */
  public interface Steps {
    /** The result of a request; its lease is held until the owner has settled it. */
    void ended(Outcome outcome);

    /** The bytes to send. */
    byte[] filled(StepCall call, byte[] stored);

    /** Path and headers to send; secrets are not stored with them. */
    Shape shape(StepCall call, Shape stored);

    /** The limit of a response. */
    int responseBytes();
  }

  /** What the request of a delivery is made of and sent with. */
  public record Requests(HttpSender http, EndpointConfigs configs, Shaper shaper) {}

  static final Duration KMS_PAUSE = Duration.ofSeconds(5);

  /** A delivery that would wait longer for the rate of the server is released. */
  private static final Duration MAX_RATE_WAIT = Duration.ofSeconds(1);

  /** Time between two log lines about it: every delivery is affected. */
  static final Duration PROXY_WARNING_EVERY = Duration.ofMinutes(1);

  /** Delay of a delivery that found no thread to evaluate its expression. */
  static final Duration SHAPING_PAUSE = Duration.ofSeconds(1);

  private static final String SENT_TWICE =
      "sent again on a new connection: the endpoint had closed the idle connection without"
          + " a response";

  private static final Backoff WITHOUT_DATABASE = Backoff.ofMillis(100, 1_000);
  private static final System.Logger LOG = System.getLogger(Sender.class.getName());

  private final HttpSender http;
  private final EndpointConfigs configs;
  private final Finisher finisher;
  private final Releases releases;
  private final LaneRoom room;
  private final LaneBook book;
  private final TrustWindow trust;
  private final Egress egress;
  private final SendRate rate;
  private final Shaper shaper;
  private final Ids ids;
  private final TimeSource time;
  private final Settings settings;
  private final SentHeaders sentHeaders;
  private final LaneExecutor starts = new LaneExecutor();
  private volatile boolean halted;
  private volatile @Nullable Steps steps;

  /** When it was last logged that the proxy is unreachable. */
  private final AtomicLong proxyWarnedNanos;

  public Sender(
      Requests requests,
      Finisher finisher,
      Releases releases,
      Lanes lanes,
      TrustWindow trust,
      Ids ids,
      TimeSource time,
      Settings settings) {
    this.http = requests.http();
    this.configs = requests.configs();
    this.shaper = requests.shaper();
    this.finisher = finisher;
    this.releases = releases;
    this.room = lanes.room();
    this.book = lanes.book();
    this.egress = lanes.egress();
    this.rate = lanes.rate();
    this.trust = trust;
    this.ids = ids;
    this.time = time;
    this.settings = settings;
    this.sentHeaders = new SentHeaders(settings.userAgent());
    this.proxyWarnedNanos = new AtomicLong(time.nanos() - PROXY_WARNING_EVERY.toNanos());
  }

  /** To be called before the first request of a step is started. */
  public void use(Steps owner) {
    steps = owner;
  }

  private Steps steps() {
    return Objects.requireNonNull(steps, "no owner of steps");
  }

  /** Starts no further attempts and drops those in progress, as if the process had died. */
  public void halt() {
    halted = true;
  }

  /** Sends, on another thread; its slot has been taken. */
  public void start(Delivery delivery) {
    if (halted) {
      return;
    }
    Lane lane = delivery.lane();
    lane.hold(delivery.id(), delivery.number());
    starts.start(lane, () -> run(delivery));
  }

  private void run(Delivery delivery) {
    rate.arrived();
    if (halted) {
      return;
    }
    try {
      Outcome outcome = attempt(delivery);
      tryEnded(delivery);
      if (outcome != null) {
        ended(outcome);
      }
    } catch (DatabaseUnavailable | StorageException e) {
      // Not the fault of the delivery: its lease is dropped, and the rescuer releases it.
      LOG.log(Level.WARNING, "dropped a lease: {0}", e.getMessage());
      tryEnded(delivery);
      releases.drop(delivery);
    } catch (RuntimeException fault) {
      // One broken delivery fails alone, with its reason (engine rule 18).
      LOG.log(Level.ERROR, failedInside(delivery), fault);
      tryEnded(delivery);
      ended(new Outcome.Untried(delivery, DeliveryEvent.CORRUPT, EndReason.CORRUPT));
    } catch (Error fault) {
      // The process is short of memory or stack, not the delivery; whether it was sent is
      // unknown. The lease stays until it expires, and is rescued then.
      tryEnded(delivery);
      releases.leave(delivery);
      LOG.log(Level.ERROR, failedInside(delivery), fault);
    }
  }

  private void ended(Outcome outcome) {
    if (outcome.delivery().step() == null) {
      finisher.add(outcome);
    } else {
      steps().ended(outcome);
    }
  }

  private static String failedInside(Delivery delivery) {
    return "delivery " + delivery.id().text(IdKind.DELIVERY) + " failed with an internal error";
  }

  private void tryEnded(Delivery delivery) {
    room.tryEnded(delivery.lane());
    book.roomIn(delivery.lane());
  }

  /** How the lease ended; null if the lease was released or dropped. */
  private @Nullable Outcome attempt(Delivery delivery) {
    if (delivery.isExpired(time.nowMs())) {
      return new Outcome.Untried(delivery, DeliveryEvent.CANCEL, EndReason.EXPIRED);
    }
    EndpointConfigs.Ready ready;
    Delivery.Step step = delivery.step();
    byte[] body = delivery.body() != null ? delivery.body() : delivery.payload();
    Shape shape = Shape.NONE;
    try {
      ready = configs.of(delivery);
      if (step != null && body != null) {
        body = steps().filled(step.call(), body);
        shape = steps().shape(step.call(), Shape.decode(step.shape()));
      }
    } catch (MasterKeyUnavailable e) {
      LOG.log(Level.WARNING, "the master key is unavailable, deliveries wait: {0}", e.getMessage());
      releases.release(delivery, time.nowMs() + KMS_PAUSE.toMillis());
      return null;
    } catch (DatabaseUnavailable e) {
      releases.release(delivery, time.nowMs());
      return null;
    } catch (SecretUnreadable e) {
      LOG.log(
          Level.ERROR,
          "endpoint {0}: {1}",
          delivery.laneId().text(IdKind.ENDPOINT),
          e.getMessage());
      return new Outcome.Untried(delivery, DeliveryEvent.CORRUPT, EndReason.SECRET_UNREADABLE);
    }
    if (ready == null || ready.config().deleted()) {
      return new Outcome.Untried(delivery, DeliveryEvent.CANCEL, EndReason.ENDPOINT_DELETED);
    }
    if (ready.config().disabled() && !delivery.manual()) {
      return new Outcome.Untried(delivery, DeliveryEvent.CANCEL, EndReason.ENDPOINT_DISABLED);
    }
    if (body == null) {
      return new Outcome.Untried(
          delivery, DeliveryEvent.PAYLOAD_EXPIRED, EndReason.PAYLOAD_EXPIRED);
    }
    if (step != null) {
      return sendIfAllowed(delivery, ready, body, new Shaper.Decision.Send(body, shape, null));
    }
    if (!ready.config().shaped() && delivery.body() == null) {
      return sendIfAllowed(delivery, ready, body, Shaper.forwarded(delivery, ready.config(), body));
    }
    if (delivery.rowless()) {
      // It was not shaped when the message was accepted. The row that it gets now keeps the shape.
      releases.release(delivery, time.nowMs());
      return null;
    }
    return switch (decide(delivery, ready.config())) {
      case Shaper.Decision.Send send -> sendIfAllowed(delivery, ready, send.body(), send);
      case Shaper.Decision.End(DeliveryEvent event, EndReason reason) ->
          new Outcome.Untried(delivery, event, reason);
      case Shaper.Decision.Later _ -> {
        releases.release(delivery, time.nowMs() + SHAPING_PAUSE.toMillis());
        yield null;
      }
      case Shaper.Decision.Lost _ -> {
        releases.drop(delivery);
        yield null;
      }
    };
  }

  /**
   * A delivery that waits for an expression waits for its tenant's share of the evaluation threads,
   * and must not count as load of this instance: that would slow down every tenant.
   */
  private Shaper.Decision decide(Delivery delivery, EndpointConfig config) {
    room.outOfOurHands();
    try {
      return shaper.decide(delivery, config);
    } finally {
      room.backFromReceiver();
    }
  }

  private @Nullable Outcome sendIfAllowed(
      Delivery delivery,
      EndpointConfigs.Ready ready,
      byte[] body,
      Shaper.Decision.@Nullable Send shaped) {
    if (!awaitToken(delivery)) {
      releases.release(
          delivery,
          time.nowMs() + TimeUnit.NANOSECONDS.toMillis(rate.noRoomForNanos(time.nanos())));
      return null;
    }
    if (delivery.isExpired(time.nowMs())) {
      return new Outcome.Untried(delivery, DeliveryEvent.CANCEL, EndReason.EXPIRED);
    }
    Lane lane = delivery.lane();
    if (lane.isClosed(time.nowMs()) || time.nanos() > delivery.startBy()) {
      // Due at once: the row of the lane decides when its deliveries may be sent, and it may
      // open sooner than known here.
      releases.release(delivery, time.nowMs());
      return null;
    }
    if (!trust.mayUse(delivery.lease().untilMs())) {
      // Fencing protects writes, not sends: a lease that another instance may have by now is
      // dropped; its release is fenced and can wait until the database responds.
      LOG.log(
          Level.WARNING,
          "dropped a lease that may have expired: the heartbeat of this instance is late");
      releases.drop(delivery);
      return null;
    }
    LaneRoom.RunningTry running = room.sending(lane);
    Outcome.Tried result = null;
    try {
      result =
          shaped == null
              ? send(delivery, ready, body, Shape.NONE, null)
              : send(
                  delivery,
                  configs.shaped(ready, shaped.shape()),
                  body,
                  shaped.shape(),
                  shaped.retry());
      return result;
    } finally {
      room.sent(running, result != null && result.answered());
      if (result == null || !result.failed()) {
        room.backFromReceiver();
      }
    }
  }

  /**
   * Waits until the rate of the server allows the request; false if that takes too long. Like
   * {@link #decide}, the wait is not load of this instance.
   */
  private boolean awaitToken(Delivery delivery) {
    long now = time.nanos();
    long most = MAX_RATE_WAIT.toNanos();
    long waitNanos =
        rate.take(
            now,
            delivery.startBy() == Long.MAX_VALUE
                ? most
                : Math.clamp(delivery.startBy() - now, 0, most));
    if (waitNanos > 0) {
      room.outOfOurHands();
      try {
        Waits.await(this, Math.ceilDiv(waitNanos, TimeUnit.MILLISECONDS.toNanos(1)), () -> halted);
      } finally {
        room.backFromReceiver();
      }
    }
    return waitNanos >= 0;
  }

  private Outcome.@Nullable Tried send(
      Delivery delivery,
      EndpointConfigs.Ready ready,
      byte[] whole,
      Shape shape,
      @Nullable RetryPolicy routePolicy) {
    EndpointConfig config = ready.config();
    String method = shape.method() == null ? config.request().method() : shape.method();
    byte[] body = Shape.sentBody(method, whole);
    // Read now, so that attempts are sorted by the time that they show.
    Id attemptId = ids.next();
    long sentAt = time.nowMs();
    Target target = ready.target();
    HttpResult result;
    HeaderList headers = new HeaderList();
    String signature = null;
    String recorded = null;
    long began = time.nanos();
    if (target == null) {
      result = new HttpResult.Blocked(problem(ready));
    } else {
      signature =
          new RequestHeaders(settings.userAgent(), ready, shape.contentType())
              .fill(headers, RequestHeaders.Subject.of(delivery), body, sentAt / 1000);
      recorded =
          sentHeaders.recorded(
              config.signing().scheme(), ready.maskedHeaders(), shape.contentType(), headers);
      headers.addAll(ready.customHeaders());
      began = time.nanos();
      Integer timeoutMs = config.request().timeoutMs();
      Duration timeout = timeoutMs == null ? settings.timeout() : Duration.ofMillis(timeoutMs);
      result =
          delivery.step() == null
              ? http.send(target, method, headers, body, timeout)
              : http.send(target, method, headers, body, timeout, steps().responseBytes());
    }
    if (result instanceof HttpResult.ProxyUnavailable(String detail, boolean connected)) {
      // Our own configuration problem: nothing was sent, so no attempt is spent and no circuit
      // opens.
      boolean warned = time.nanos() - proxyWarnedNanos.get() < PROXY_WARNING_EVERY.toNanos();
      LOG.log(
          warned ? Level.DEBUG : Level.WARNING,
          "the egress proxy is unreachable, deliveries wait: {0}",
          detail);
      if (!warned) {
        proxyWarnedNanos.set(time.nanos());
      }
      releases.release(delivery, time.nowMs() + egress.missed(connected, time.nanos()));
      return null;
    }
    int latencyMs = (int) TimeUnit.NANOSECONDS.toMillis(time.nanos() - began);
    Finish.Attempt attempt =
        record(attemptId, ready.url(), result, new Signed(signature, recorded), sentAt, latencyMs);
    int cap = room.configuredCap(config.request().maxInFlight());
    Meaning meaning = meaning(result);
    if (meaning != Meaning.BLOCKED && meaning != Meaning.OUR_FAULT) {
      egress.passed();
    }
    if (delivery.step() != null) {
      return ofStep(delivery, meaning, attempt, result, cap);
    }
    RetryPolicy policy =
        meaning == Meaning.SUCCESS
            ? RetryPolicy.DEFAULT
            : cut(
                delivery, routePolicy != null ? routePolicy : policy(config, delivery.eventType()));
    return new Outcome.Tried(delivery, meaning, attempt, retryAfter(result), policy, cap);
  }

  /** Its owner has the whole response and decides about retries; the attempt records a part. */
  private Outcome.Tried ofStep(
      Delivery delivery, Meaning meaning, Finish.Attempt attempt, HttpResult result, int cap) {
    Outcome.Response response =
        result instanceof HttpResult.Answered answered
            ? new Outcome.Response(answered.body(), answered.truncated())
            : null;
    return new Outcome.Tried(
        delivery, meaning, attempt, retryAfter(result), RetryPolicy.DEFAULT, cap, response);
  }

  /** The sender of a message may allow fewer retries than the schedule has. */
  private static RetryPolicy cut(Delivery delivery, RetryPolicy policy) {
    Delivery.Extras extras = delivery.extras();
    return extras == null ? policy : policy.cutTo(extras.maxRetries());
  }

  /** Why a request cannot be sent to the endpoint at all. */
  static String problem(EndpointConfigs.Ready ready) {
    return ready.problem() == null ? "the URL of the endpoint is not valid" : ready.problem();
  }

  /**
   * An attempt that was made has to be recorded, so this waits for the database as the recording
   * does.
   */
  private RetryPolicy policy(EndpointConfig config, String eventType) {
    for (int run = 1; ; run++) {
      try {
        return configs.policy(config, eventType);
      } catch (DatabaseUnavailable e) {
        WITHOUT_DATABASE.pause(run);
      }
    }
  }

  private static Meaning meaning(HttpResult result) {
    return switch (result) {
      case HttpResult.Answered answered -> Meaning.ofStatus(answered.status());
      case HttpResult.TimedOut _, HttpResult.NetworkError _, HttpResult.TlsError _ ->
          Meaning.RETRYABLE;
      case HttpResult.Blocked _ -> Meaning.BLOCKED;
      case HttpResult.OurFault _, HttpResult.ProxyUnavailable _ -> Meaning.OUR_FAULT;
    };
  }

  private @Nullable Duration retryAfter(HttpResult result) {
    return result instanceof HttpResult.Answered answered && answered.status() >= 300
        ? RetryAfter.parse(answered.retryAfter(), time.nowMs())
        : null;
  }

  /** The signature and the headers of a request, as recorded with its attempt. */
  private record Signed(@Nullable String signature, @Nullable String headers) {}

  private Finish.Attempt record(
      Id id, String url, HttpResult result, Signed signed, long sentAtMs, int latencyMs) {
    OutcomeClass outcomeClass = result.outcomeClass();
    Integer status = null;
    byte[] response = null;
    String error = result.detail();
    if (result instanceof HttpResult.Answered answered) {
      status = answered.status();
      response = recorded(answered.body());
      error = answered.sentTwice() ? SENT_TWICE : null;
    }
    return new Finish.Attempt(
        id,
        outcomeClass.code(),
        status,
        latencyMs,
        sentAtMs,
        url,
        signed.signature(),
        signed.headers(),
        response,
        error);
  }

  /** What is recorded of a response; only those of steps are longer than that. */
  private byte @Nullable [] recorded(byte[] body) {
    if (body.length == 0) {
      return null;
    }
    return body.length <= http.keptBytes() ? body : Arrays.copyOf(body, http.keptBytes());
  }

  /**
   * Waits until all leases have been recorded or released, or the time is up; true if nothing is
   * left.
   */
  public boolean drain(Duration limit) {
    return room.awaitEmpty(limit);
  }
}
