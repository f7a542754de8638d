package dev.postrider.simulation;

import dev.postrider.delivery.http.HeaderList;
import dev.postrider.delivery.http.HttpResult;
import dev.postrider.delivery.http.address.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The way to the receivers, and the receivers, which write down all that comes. */
final class Network {
  /**
   * One request.
   *
   * @param sentAt when it left, arrivedAt when the receiver had it: negative if it never did
   * @param ok whether the receiver answered 2xx in time, even if the sender was gone
   */
  record Request(
      String path,
      String delivery,
      int attempt,
      Host host,
      long sentAt,
      long arrivedAt,
      boolean ok) {}

  /** A request that is not answered yet, with the size of its body. */
  record UnderWay(String path, int bytes, long sentAt) {}

  /** How a receiver behaves until the world heals. */
  enum Manner {
    GOOD,
    FLAKY,
    SLOW,
    HANGING,
    FAILING,
    BUSY,
    /** Never answers. */
    STUCK,
    /** Each answer takes seconds. */
    LATE;

    /** Those that a delivery gets past after a while. */
    static final List<Manner> MENDING = List.copyOf(EnumSet.range(GOOD, BUSY));
  }

  private static final long DAY = 86_400_000 * Timeline.MS;

  private final World world;
  private final SplittableRandom random;
  private final Map<String, Manner> manners = new HashMap<>();
  private final Map<String, Integer> inFlight = new HashMap<>();
  private final Set<UnderWay> underWay = Collections.newSetFromMap(new IdentityHashMap<>());
  private final List<Request> requests = new ArrayList<>();
  private int mostInFlight;

  Network(World world, SplittableRandom random) {
    this.world = world;
    this.random = random;
  }

  void receiver(String path, Manner manner) {
    manners.put(path, manner);
  }

  List<Request> requests() {
    return requests;
  }

  /** The most that one instance had under way to one receiver. */
  int mostInFlight() {
    return mostInFlight;
  }

  Set<UnderWay> underWay() {
    return underWay;
  }

  HttpResult send(Target target, HeaderList headers, int bytes, Duration deadline) {
    Host host = Objects.requireNonNull(world.timeline().current().host);
    String lane = host.name + target.pathAndQuery();
    mostInFlight = Math.max(mostInFlight, inFlight.merge(lane, 1, Integer::sum));
    UnderWay request = new UnderWay(target.pathAndQuery(), bytes, world.timeline().nanos());
    underWay.add(request);
    world.course().sending(request);
    try {
      return exchange(host, target.pathAndQuery(), headers, deadline);
    } finally {
      underWay.remove(request);
      inFlight.merge(lane, -1, Integer::sum);
    }
  }

  private HttpResult exchange(Host host, String path, HeaderList headers, Duration deadline) {
    long sentAt = world.timeline().nanos();
    Reply reply = reply(path);
    long there = random.nextLong(1, 20) * Timeline.MS;
    long back = random.nextLong(1, 20) * Timeline.MS;
    long tookNanos = there + reply.thinkNanos() + back;
    boolean inTime = tookNanos < deadline.toNanos();
    Request request =
        new Request(
            path,
            value(headers, "postrider-delivery-id"),
            Integer.parseInt(value(headers, "postrider-attempt")),
            host,
            sentAt,
            reply.status() == 0 ? -1 : sentAt + there,
            inTime && !reply.lost() && reply.status() / 100 == 2);
    requests.add(request);
    world.timeline().note(request.delivery().hashCode() + request.attempt());
    world.tell(host.name + " sends " + request + " " + reply);
    world.timeline().pass(inTime ? tookNanos : deadline.toNanos());
    if (!inTime) {
      return new HttpResult.TimedOut("simulated: no answer in time");
    }
    if (reply.status() == 0 || reply.lost()) {
      return new HttpResult.NetworkError("simulated: the connection broke");
    }
    return new HttpResult.Answered(
        reply.status(), new byte[0], false, reply.retryAfter(), null, false);
  }

  /**
   * @param status 0 if the request never arrives
   * @param lost whether the answer is lost on its way back
   */
  private record Reply(int status, long thinkNanos, boolean lost, @Nullable String retryAfter) {}

  private Reply reply(String path) {
    Manner manner = world.healed() ? Manner.GOOD : manners.getOrDefault(path, Manner.GOOD);
    int dice = random.nextInt(100);
    long quick = random.nextLong(0, 5) * Timeline.MS;
    return switch (manner) {
      case GOOD -> new Reply(200, quick, false, null);
      case FLAKY ->
          dice < 10
              ? new Reply(0, quick, false, null)
              : dice < 20
                  ? new Reply(200, quick, true, null)
                  : new Reply(dice < 35 ? 500 : 204, quick, false, null);
      case SLOW -> new Reply(200, world.span(random.nextLong(0, 20_000)), false, null);
      case HANGING -> new Reply(200, dice < 70 ? DAY : quick, false, null);
      case FAILING -> new Reply(dice < 90 ? 503 : 200, quick, false, null);
      case BUSY ->
          dice < 40
              ? new Reply(429, quick, false, dice < 20 ? "3" : null)
              : new Reply(200, quick, false, null);
      case STUCK -> new Reply(200, DAY, false, null);
      case LATE -> new Reply(200, random.nextLong(1_500, 3_000) * Timeline.MS, false, null);
    };
  }

  private static String value(HeaderList headers, String name) {
    for (int i = 0; i < headers.size(); i++) {
      if (headers.name(i).equals(name)) {
        return headers.value(i);
      }
    }
    throw new IllegalStateException("a request without " + name);
  }
}
