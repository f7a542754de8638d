package dev.postrider.delivery.http;

import dev.postrider.delivery.http.Deadlines.Deadline;
import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.NameLookup;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.net.Cidr;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.ToIntFunction;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.jspecify.annotations.Nullable;

/** Performs one attempt: sends a request and reads the response within a total deadline. */
public final class HttpSender implements AutoCloseable {
  private static final Duration EVICT_EVERY = Duration.ofSeconds(1);

  private final SenderSettings settings;
  private final AddressGuard guard;
  private final NameLookup lookup;
  private final Deadlines deadlines;
  private final AnswerReader reader;
  private final TimeValue keepAlive;
  private volatile @Nullable ConnectionPools pools;
  private volatile @Nullable PeriodicLoop evictor;

  /**
   * @param lookup resolves the egress proxy's name; the caller starts and closes it
   */
  public HttpSender(
      SenderSettings settings, AddressGuard guard, NameLookup lookup, TimeSource time) {
    this.settings = settings;
    this.guard = guard;
    this.lookup = lookup;
    this.deadlines = new Deadlines(time);
    this.reader = new AnswerReader(settings.keptBytes(), settings.readBytes(), settings.answers());
    this.keepAlive = TimeValue.of(settings.keepAlive());
  }

  public void start() {
    ConnectionPools opened = new ConnectionPools(connections(settings), direct());
    pools = opened;
    deadlines.start();
    PeriodicLoop loop =
        new PeriodicLoop(
            "http-evictor",
            () -> {
              opened.evictIdle();
              return EVICT_EVERY.toMillis();
            });
    loop.start();
    evictor = loop;
  }

  /** Null if no target bypasses the proxy. */
  private @Nullable Connections direct() {
    return settings.proxy() == null || settings.bypass().isEmpty()
        ? null
        : connections(settings.withProxy(null, ProxyBypass.NONE));
  }

  private Connections connections(SenderSettings chosen) {
    return new Connections(chosen, guard, lookup, Connections.MAX_IDLE);
  }

  /**
   * The connections that attempts use: through the egress proxy if there is one, and direct ones.
   *
   * @param direct connections for targets that bypass the proxy; null if there are none
   * @param usual connections for most targets: through the egress proxy if one is configured
   */
  private record ConnectionPools(Connections usual, @Nullable Connections direct) {
    void evictIdle() {
      usual.evictIdle();
      if (direct != null) {
        direct.evictIdle();
      }
    }

    int sum(ToIntFunction<Connections> number) {
      return number.applyAsInt(usual) + (direct == null ? 0 : number.applyAsInt(direct));
    }

    void close() {
      usual.close();
      if (direct != null) {
        direct.close();
      }
    }
  }

  private @Nullable Connections to(Target target) {
    ConnectionPools open = pools;
    if (open == null) {
      return null;
    }
    return open.direct() != null && settings.bypass().covers(target) ? open.direct() : open.usual();
  }

  /**
   * Closes all connections; attempts in progress end as {@link HttpResult.OurFault} or a network
   * error.
   */
  @Override
  public void close() {
    PeriodicLoop loop = evictor;
    if (loop != null) {
      loop.requestStop();
    }
    ConnectionPools open = pools;
    pools = null;
    if (open != null) {
      open.close();
    }
    deadlines.close();
  }

  /**
   * Performs one attempt. To be called on a virtual thread, which is interrupted when the deadline
   * passes; the interrupt is cleared again before this returns.
   *
   * @param deadline for everything: name lookup, connection, request and the complete response
   */
  public HttpResult send(
      Target target, String method, HeaderList headers, byte[] body, Duration deadline) {
    return send(target, method, headers, body, deadline, reader);
  }

  /** The same, keeping a response of up to that many bytes; one that is longer is truncated. */
  public HttpResult send(
      Target target,
      String method,
      HeaderList headers,
      byte[] body,
      Duration deadline,
      int responseBytes) {
    AnswerReader whole = new AnswerReader(responseBytes, responseBytes, settings.answers());
    return send(target, method, headers, body, deadline, whole);
  }

  private HttpResult send(
      Target target,
      String method,
      HeaderList headers,
      byte[] body,
      Duration deadline,
      AnswerReader answers) {
    Connections open = to(target);
    if (open == null) {
      return new HttpResult.OurFault("the HTTP sender is not running");
    }
    String refusal = guard.refusal(target);
    if (refusal != null) {
      return new HttpResult.Blocked(refusal);
    }
    WireRequest request = open.request(target, method, headers, body);
    Deadline armed = deadlines.arm(deadline);
    Object owner = target.owner();
    HttpResult outcome =
        owner == null
            ? outcome(open, new Request(target, request, answers), armed)
            : names(owner, target.networks())
                .call(() -> outcome(open, new Request(target, request, answers), armed));
    if (deadlines.disarm(armed)) {
      return Thread.currentThread().isInterrupted() && !(outcome instanceof HttpResult.Answered)
          ? new HttpResult.OurFault("interrupted before the response")
          : outcome;
    }
    Thread
        .interrupted(); // interrupted by the deadline; the next attempt on this thread must not see
    // it
    boolean unreachedProxy =
        outcome instanceof HttpResult.ProxyUnavailable(String _, boolean connected) && !connected;
    return outcome instanceof HttpResult.Answered || unreachedProxy
        ? outcome
        : new HttpResult.TimedOut(
            "timeout: no complete response within " + deadline.toMillis() + " ms");
  }

  /** A request, where it goes, and how its response is read. */
  private record Request(Target target, WireRequest wire, AnswerReader answers) {}

  /** How the names of a request are resolved. */
  private static ScopedValue.Carrier names(Object owner, List<Cidr> networks) {
    ScopedValue.Carrier names = ScopedValue.where(NameLookup.OWNER, owner);
    return networks.isEmpty() ? names : names.where(AddressGuard.NETWORKS, networks);
  }

  private HttpResult outcome(Connections open, Request request, Deadline armed) {
    try {
      return attempt(open, request, armed);
    } catch (IOException | HttpException failure) {
      return Failures.outcomeOf(failure);
    } catch (TimeoutException | ExecutionException _) {
      return new HttpResult.OurFault(
          "no free connection to the host; raise the limit of connections per host");
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return new HttpResult.OurFault("interrupted before the response");
    } catch (RuntimeException | OutOfMemoryError bug) {
      return new HttpResult.OurFault(bug.getClass().getSimpleName() + ": " + Failures.detail(bug));
    }
  }

  /** How many bytes of a response an attempt records. */
  public int keptBytes() {
    return settings.keptBytes();
  }

  /** Connections in use. */
  public int leasedConnections() {
    ConnectionPools open = pools;
    return open == null ? 0 : open.sum(Connections::leased);
  }

  /** Idle connections that are kept for reuse. */
  public int idleConnections() {
    ConnectionPools open = pools;
    return open == null ? 0 : open.sum(Connections::idle);
  }

  private HttpResult attempt(Connections open, Request request, Deadline armed)
      throws IOException,
          HttpException,
          InterruptedException,
          ExecutionException,
          TimeoutException {
    ConnectionEndpoint endpoint = open.lease(request.target());
    boolean kept = false;
    try {
      armed.covers(endpoint);
      Head head = answer(open, endpoint, request.target(), request.wire());
      AnswerReader.Read read = request.answers().read(head.response(), head.sentTwice());
      if (deadlines.disarm(armed) && read.reusable()) {
        open.keep(endpoint, idle(read.idleSeconds()));
        kept = true;
      }
      return read.answer();
    } finally {
      if (!kept) {
        open.discard(endpoint);
      }
    }
  }

  /** The head of a response, and whether the request was sent on a reused connection. */
  private record Head(ClassicHttpResponse response, boolean sentTwice) {}

  private Head answer(
      Connections open, ConnectionEndpoint endpoint, Target target, WireRequest request)
      throws IOException, HttpException {
    boolean sent = false;
    if (endpoint.isConnected()) {
      try {
        return new Head(open.fromTarget(open.exchange(endpoint, request), target), false);
      } catch (NoFirstByte ended) {
        if (!ended.mayBeOlderThanRequest()) {
          throw ended;
        }
        // The endpoint had closed the kept connection; that is not a failure of the endpoint.
        endpoint.close(CloseMode.IMMEDIATE);
        sent = ended.sent();
      }
    }
    open.open(endpoint, target);
    return new Head(open.fromTarget(open.exchange(endpoint, request), target), sent);
  }

  private TimeValue idle(int grantedSeconds) {
    return grantedSeconds < 0 ? keepAlive : Connections.idle(settings.keepAlive(), grantedSeconds);
  }
}
