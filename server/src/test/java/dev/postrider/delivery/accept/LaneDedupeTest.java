package dev.postrider.delivery.accept;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An endpoint or a queue gets one of the messages for which its dedupe has the same value. */
@Timeout(120)
@OnEachDatabase
final class LaneDedupeTest extends GatewayBehaviour {
  private final Receiver receiver = new Receiver();
  private App app;

  @BeforeEach
  void start() {
    app = gateway.start();
    gateway.api(201, app, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
  }

  @AfterEach
  void stop() {
    receiver.close();
  }

  private void endpoint(String uid, String more) {
    String url = receiver.url("/" + uid);
    String body = "{\"uid\":\"%s\",\"url\":\"%s\"%s}".formatted(uid, url, more);
    gateway.api(201, app, "POST", "/app/acme/endpoint", body);
  }

  private static String message(String payload) {
    return "{\"eventType\":\"a.b\",\"payload\":%s}".formatted(payload);
  }

  private void send(App to, String payload) {
    gateway.api(202, to, "POST", "/app/acme/msg", message(payload));
  }

  private int deliveries(String endpoint) {
    String path = "/app/acme/delivery?limit=250&endpoint_id=" + endpoint;
    return gateway.api(200, app, "GET", path, "").json().get("data").size();
  }

  private List<String> received(String endpoint) {
    return receiver.requests(request -> request.path().equals("/" + endpoint)).stream()
        .map(Receiver.Request::text)
        .toList();
  }

  private void isDelivered(String endpoint, int count) {
    await(endpoint + " gets " + count, () -> received(endpoint).size() == count);
    assertThat(deliveries(endpoint)).as(endpoint).isEqualTo(count);
  }

  @Test
  void anEndpointGetsTheFirstOfEqualKeysAndOthersGetAll() {
    endpoint("once", ",\"dedupe\":\"payload.id\"");
    endpoint("fifo", ",\"dedupe\":\"payload.id\",\"ordering\":\"fifo\"");
    endpoint("other", ",\"dedupe\":\"payload.n\"");
    endpoint("all", "");
    send(app, "{\"id\":\"x\",\"n\":1}");
    send(app, "{\"id\":\"x\",\"n\":2}");
    send(app, "{\"id\":7,\"n\":3}");
    send(app, "{\"id\":7,\"n\":3}");
    isDelivered("all", 4);
    isDelivered("once", 2);
    isDelivered("fifo", 2);
    isDelivered("other", 3);
    assertThat(received("once"))
        .containsExactlyInAnyOrder("{\"id\":\"x\",\"n\":1}", "{\"id\":7,\"n\":3}");
    assertThat(received("fifo")).containsExactly("{\"id\":\"x\",\"n\":1}", "{\"id\":7,\"n\":3}");
  }

  @Test
  void withoutAValueOrWithAnErrorNothingIsADuplicate() {
    endpoint("once", ",\"dedupe\":\"payload.id\"");
    endpoint("fails", ",\"dedupe\":\"payload.id + 1\"");
    send(app, "{\"id\":\" \"}");
    send(app, "{\"id\":\" \"}");
    send(app, "{}");
    send(app, "{}");
    isDelivered("once", 4);
    isDelivered("fails", 4);
  }

  @Test
  void ofABatchTheFirstOneCounts() {
    endpoint("once", ",\"dedupe\":\"payload.id\"");
    endpoint("all", "");
    String body =
        "{\"messages\":[%s,%s,%s]}"
            .formatted(
                message("{\"id\":1,\"n\":1}"),
                message("{\"id\":1,\"n\":2}"),
                message("{\"id\":2,\"n\":3}"));
    gateway.api(202, app, "POST", "/app/acme/msg/batch", body);
    isDelivered("all", 3);
    isDelivered("once", 2);
    assertThat(received("once"))
        .containsExactlyInAnyOrder("{\"id\":1,\"n\":1}", "{\"id\":2,\"n\":3}");
  }

  @Test
  void aQueueGetsTheFirstOfEqualKeys() {
    gateway.api(
        201, app, "POST", "/app/acme/queue", "{\"name\":\"once\",\"dedupe\":\"payload.id\"}");
    gateway.api(201, app, "POST", "/app/acme/queue", "{\"name\":\"all\"}");
    for (int n = 0; n < 3; n++) {
      send(app, "{\"id\":\"x\"}");
    }
    String once = "/app/acme/queue/once/messages?batch=10&wait=20";
    String all = "/app/acme/queue/all/messages?batch=10&wait=20";
    assertThat(gateway.api(200, app, "GET", all, "").json().get("data")).hasSize(3);
    assertThat(gateway.api(200, app, "GET", once, "").json().get("data")).hasSize(1);
  }

  @Test
  void afterItsWindowAKeyIsNew() {
    gateway.api(200, app, "PATCH", "/app/acme", "{\"idempotencyWindowMs\":60000}");
    endpoint("once", ",\"dedupe\":\"payload.id\"");
    TestEngine engine = TestEngine.of(app.engine());
    send(app, "{\"id\":1}");
    send(app, "{\"id\":1}");
    isDelivered("once", 1);
    long left =
        Engines.number(engine, "SELECT max(expires_at) FROM idempotency") - engine.time().nowMs();
    assertThat(left).isBetween(1L, 60_000L);
    for (String table : KeyTables.all()) {
      Engines.sql(engine, "UPDATE " + table + " SET expires_at = 1");
    }
    send(app, "{\"id\":1}");
    isDelivered("once", 2);
  }

  @Test
  void instancesThatAcceptEqualKeysAtOnceAgree() {
    List<App> apps = new ArrayList<>(List.of(app));
    if (kind == Databases.Kind.POSTGRES) {
      apps.add(gateway.start());
    }
    endpoint("once", ",\"dedupe\":\"payload.id\"");
    endpoint("reversed", ",\"dedupe\":\"payload.id & payload.id\"");
    int keys = 20;
    int each = 8;
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<Void>> sent = new ArrayList<>();
      for (int n = 0; n < keys * each; n++) {
        App to = apps.get(n % apps.size());
        String payload = "{\"id\":\"k" + n / each + "\"}";
        sent.add(CompletableFuture.runAsync(() -> send(to, payload), callers));
      }
      sent.forEach(CompletableFuture::join);
    }
    isDelivered("once", keys);
    isDelivered("reversed", keys);
    assertThat(received("once")).doesNotHaveDuplicates();
  }

  @Test
  void aWrongExpressionIsRefused() {
    String body = "{\"url\":\"%s\",\"dedupe\":\"payload.(\"}".formatted(receiver.url("/"));
    assertThat(gateway.api(422, app, "POST", "/app/acme/endpoint", body).text("/detail/0/loc/1"))
        .isEqualTo("dedupe");
    gateway.api(422, app, "POST", "/app/acme/queue", "{\"name\":\"q\",\"dedupe\":\"payload.(\"}");
  }
}
