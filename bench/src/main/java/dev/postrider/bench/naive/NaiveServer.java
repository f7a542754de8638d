package dev.postrider.bench.naive;

import dev.postrider.bench.process.BenchJson;
import dev.postrider.bench.raw.DeliveryClient;
import dev.postrider.delivery.http.HttpResult;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.id.Ids;
import dev.postrider.signature.HmacKey;
import dev.postrider.time.SystemTime;
import dev.postrider.time.TimeSource;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;

/**
 * A simple webhook server for comparison. Eight workers each claim ten deliveries, send them one
 * after the other and record each in a transaction.
 */
public final class NaiveServer implements AutoCloseable {
  static final int WORKERS = 8;

  /**
   * Accepts wait above this, so that it is measured at what it can keep up with and not while it
   * falls behind.
   */
  private static final int MAX_BACKLOG = 2_000;

  private static final long POLL_NANOS = 20_000_000;
  private static final long RETRY_MS = 5_000;
  private static final int END_OF_INPUT = -1;

  private final NaiveStore store;
  private final TimeSource time;
  private final DeliveryClient client;
  private final WebServer web;
  private final SecureRandom random = new SecureRandom();
  private final Semaphore backlog = new Semaphore(MAX_BACKLOG);
  private final List<Thread> workers = new ArrayList<>();
  private volatile boolean running = true;

  private NaiveServer(NaiveStore store, int port, TimeSource time) {
    this.store = store;
    this.time = time;
    this.client = new DeliveryClient(WORKERS, time);
    this.web =
        WebServer.builder()
            .host("127.0.0.1")
            .port(port)
            .shutdownHook(false)
            .routing(this::routes)
            .build();
  }

  public static NaiveServer start(String jdbcUrl, int port, TimeSource time) throws SQLException {
    NaiveStore store = NaiveStore.open(jdbcUrl, new Ids(time::nowMs, new SecureRandom()), time);
    NaiveServer server = new NaiveServer(store, port, time);
    server.client.start();
    for (int i = 0; i < WORKERS; i++) {
      server.workers.add(Thread.ofVirtual().name("naive-worker-" + i).start(server::work));
    }
    server.web.start();
    return server;
  }

  public int port() {
    return web.port();
  }

  /** {@code jdbcUrl port}; ends when its input does. */
  public static void main(String[] args) throws SQLException, IOException {
    try (NaiveServer server = start(args[0], Integer.parseInt(args[1]), new SystemTime())) {
      System.err.println("naive reference on port " + server.port());
      int read;
      do {
        read = System.in.read();
      } while (read != END_OF_INPUT);
    }
  }

  private void routes(HttpRouting.Builder routes) {
    routes
        .get("/api/v1/health", (_, response) -> response.status(Status.NO_CONTENT_204).send())
        .post("/api/v1/app", (_, response) -> created(response, store.addApplication()))
        .post("/api/v1/app/{app}/endpoint", this::addEndpoint)
        .post("/api/v1/app/{app}/msg", this::accept);
  }

  private void addEndpoint(ServerRequest request, ServerResponse response) throws SQLException {
    JsonNode body =
        BenchJson.parse(new String(bytes(request), StandardCharsets.UTF_8), JsonNode.class);
    created(
        response,
        store.addEndpoint(
            application(request), body.get("url").asString(), HmacKey.generate(random).text()));
  }

  private void accept(ServerRequest request, ServerResponse response) throws SQLException {
    JsonNode body =
        BenchJson.parse(new String(bytes(request), StandardCharsets.UTF_8), JsonNode.class);
    NaiveStore.Accepted accepted =
        store.accept(
            application(request),
            body.get("eventType").asString(),
            BenchJson.line(body.get("payload")).getBytes(StandardCharsets.UTF_8),
            request.headers().get(HeaderNames.create("idempotency-key")).get());
    backlog.acquireUninterruptibly(accepted.deliveries());
    response
        .status(Status.ACCEPTED_202)
        .send(BenchJson.line(Map.of("id", accepted.message().toString())));
  }

  private static byte[] bytes(ServerRequest request) {
    return request.content().as(byte[].class);
  }

  private static UUID application(ServerRequest request) {
    return UUID.fromString(request.path().pathParameters().get("app"));
  }

  private static void created(ServerResponse response, UUID id) {
    response.status(Status.CREATED_201).send(BenchJson.line(Map.of("id", id.toString())));
  }

  private void work() {
    while (running) {
      try {
        List<NaiveStore.Claimed> claimed = store.claim();
        if (claimed.isEmpty()) {
          LockSupport.parkNanos(POLL_NANOS);
        }
        for (NaiveStore.Claimed delivery : claimed) {
          deliver(delivery);
        }
      } catch (SQLException e) {
        if (running) {
          System.err.println("naive worker: " + e);
          LockSupport.parkNanos(POLL_NANOS);
        }
      }
    }
  }

  private void deliver(NaiveStore.Claimed delivery) throws SQLException {
    long started = time.nanos();
    HttpResult outcome =
        client.send(
            client.target(delivery.url()),
            HmacKey.parse(delivery.secret()),
            new DeliveryClient.Try(
                "msg_" + delivery.message(), "dlv_" + delivery.id(), delivery.payload()));
    int latencyMs = (int) ((time.nanos() - started) / 1_000_000);
    boolean delivered = outcome.outcomeClass() == OutcomeClass.SUCCESS;
    if (delivered) {
      backlog.release();
    }
    store.finish(
        delivery,
        outcome instanceof HttpResult.Answered answered
            ? new NaiveStore.Result(delivered, answered.status(), latencyMs, answered.body())
            : new NaiveStore.Result(false, 0, latencyMs, new byte[0]),
        RETRY_MS);
  }

  @Override
  public void close() {
    web.stop();
    running = false;
    for (Thread worker : workers) {
      try {
        worker.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    client.close();
    store.close();
  }
}
