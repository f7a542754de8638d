package dev.postrider.bench.raw;

import dev.postrider.bench.load.RequestTemplate;
import dev.postrider.bench.load.Stamp;
import dev.postrider.delivery.http.HttpResult;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.signature.HmacKey;
import dev.postrider.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sends deliveries in a loop with the HTTP client of the server, without accepting, storing or
 * recording anything. Its rate is an upper limit for the server.
 */
public final class RawClient implements AutoCloseable {
  private final RawPlan plan;
  private final TimeSource time;
  private final DeliveryClient client;
  private final LongAdder delivered = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final List<Thread> senders = new ArrayList<>();
  private volatile String lastFailure = "";
  private volatile boolean running = true;

  public RawClient(RawPlan plan, TimeSource time) {
    this.plan = plan;
    this.time = time;
    this.client = new DeliveryClient(plan.inFlight(), time);
  }

  public void start() {
    client.start();
    List<Target> targets = plan.urls().stream().map(client::target).toList();
    for (int i = 0; i < plan.inFlight(); i++) {
      int first = i;
      senders.add(Thread.startVirtualThread(() -> send(targets, first)));
    }
  }

  private void send(List<Target> targets, int first) {
    HmacKey key = HmacKey.generate(new SecureRandom());
    Ids ids = new Ids(time::nowMs, new SplittableRandom(first));
    byte[] template =
        RequestTemplate.payload(plan.payloadBytes()).getBytes(StandardCharsets.US_ASCII);
    for (int i = first; running; i++) {
      byte[] body = template.clone();
      Stamp.write(body, RequestTemplate.STAMP_AT, Stamp.DIGITS, time.nanos());
      HttpResult outcome =
          client.send(
              targets.get(Math.floorMod(i, targets.size())),
              key,
              new DeliveryClient.Try(
                  ids.next().text(IdKind.MESSAGE), ids.next().text(IdKind.DELIVERY), body));
      if (outcome.outcomeClass() == OutcomeClass.SUCCESS) {
        delivered.increment();
      } else if (running) {
        failed.increment();
        lastFailure = outcome.toString();
      }
    }
  }

  public void reset() {
    delivered.reset();
    failed.reset();
  }

  public RawSnapshot snapshot() {
    return new RawSnapshot(delivered.sum(), failed.sum(), lastFailure);
  }

  @Override
  public void close() {
    running = false;
    for (Thread sender : senders) {
      try {
        sender.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    client.close();
  }
}
