package dev.postrider.bench.crash;

import dev.postrider.bench.process.BenchJson;
import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.Pause;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import tools.jackson.databind.JsonNode;

/**
 * Clients that send messages as SDKs do: every message has an idempotency key, and a request that
 * failed or got a 5xx or 429 response is repeated with the same key, at any instance, until it is
 * accepted or refused.
 */
final class Callers implements AutoCloseable {
  private static final int CALLERS = 12;
  private static final int MAX_PAUSE_MS = 60;

  /** One message at a time, some of them slow: much more than that would only pile up. */
  private static final int ORDERED_PAUSE_MS = 400;

  /** So many that no cache of what belongs to a type is always warm. */
  private static final int EVENT_TYPES = 1_000;

  private static final int MAX_BACK_OFF_MS = 150;
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(3);

  private final World world;
  private final Ledger ledger;
  private final Pause pause;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(ANSWER_LIMIT)
          .build();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopping;
  private volatile boolean givenUp;

  Callers(World world, Ledger ledger, TimeSource time) {
    this.world = world;
    this.ledger = ledger;
    this.pause = new Pause(time);
  }

  void start(long seed) {
    for (int i = 0; i < CALLERS; i++) {
      SplittableRandom random = new SplittableRandom(seed + i);
      threads.add(
          Thread.ofVirtual().name("caller-" + i).start(() -> loop(random, false, MAX_PAUSE_MS)));
    }
    SplittableRandom random = new SplittableRandom(seed + CALLERS);
    threads.add(
        Thread.ofVirtual()
            .name("ordered-caller")
            .start(() -> loop(random, true, ORDERED_PAUSE_MS)));
  }

  private void loop(SplittableRandom random, boolean ordered, int maxPauseMs) {
    try {
      while (!stopping) {
        long number = ledger.nextNumber();
        List<World.Tenant> tenants = world.unorderedTenants();
        send(
            number,
            ordered ? world.orderedTenant() : tenants.get((int) (number % tenants.size())),
            random);
        pause.seconds(random.nextInt(maxPauseMs) / 1e3);
      }
    } catch (BenchFailure e) {
      if (!givenUp) {
        ledger.problem("a caller failed: " + e.getMessage());
      }
    }
  }

  private void send(long number, World.Tenant tenant, SplittableRandom random) {
    while (!givenUp) {
      HttpRequest request =
          HttpRequest.newBuilder(
                  URI.create(
                      "http://"
                          + world.anyAddress(random)
                          + "/api/v1/app/"
                          + tenant.application()
                          + "/msg"))
              .timeout(ANSWER_LIMIT)
              .header("Authorization", "Bearer " + World.API_KEY)
              .header("Content-Type", "application/json")
              .header("Idempotency-Key", "message-" + number)
              .POST(
                  BodyPublishers.ofString(
                      "{\"eventType\":\"crash.test%d\",\"payload\":%s}"
                          .formatted(number % EVENT_TYPES, Payload.of(number))))
              .build();
      try {
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        if (settled(response, number, tenant)) {
          return;
        }
      } catch (IOException e) {
        // Killed, frozen or not yet there: the same request goes out again.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
      pause.seconds((1 + random.nextInt(MAX_BACK_OFF_MS)) / 1e3);
    }
  }

  private boolean settled(HttpResponse<String> response, long number, World.Tenant tenant) {
    int status = response.statusCode();
    if (status / 100 == 2) {
      String id = BenchJson.parse(response.body(), JsonNode.class).get("id").asString();
      ledger.accepted(new Ledger.Accepted(number, tenant.application(), id));
      return true;
    }
    if (status / 100 == 5 || status == 429) {
      if (status != 503 && status != 429) {
        ledger.problem("a message got the response " + status + ": " + response.body());
      }
      return false;
    }
    ledger.problem("a message was refused with " + status + ": " + response.body());
    return true;
  }

  /** No new messages; those begun are sent until they are answered. False if some never were. */
  boolean finish(double seconds) {
    stopping = true;
    boolean done = pause.await(seconds, () -> threads.stream().noneMatch(Thread::isAlive));
    givenUp = true;
    return done;
  }

  @Override
  public void close() {
    stopping = true;
    givenUp = true;
    threads.forEach(Thread::interrupt);
    http.shutdownNow();
    http.close();
  }
}
