package dev.postrider.inbound;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.GatewayFixture;
import dev.postrider.testkit.GatewayFixture.Answer;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What strangers and providers do to a source, on both databases. */
@Timeout(180)
@OnEachDatabase
final class AbuseTest extends GatewayBehaviour {
  private static final int EVENTS = 200;
  private static final int SENDS = 3;

  private App app;

  @BeforeEach
  void start() {
    app = gateway.start();
  }

  private void slack() {
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"slack\",\"verify\":\"slack\",\"secret\":\"s3cret\",\"expects\":\"json\",\"maxBodyBytes\":2000}");
  }

  private Answer slack(String signed, String sent, long secondsAgo) {
    String time = Long.toString(TestEngine.of(app.engine()).time().nowMs() / 1_000 - secondsAgo);
    return gateway.in(
        app,
        "slack",
        sent,
        "Content-Type",
        "application/json",
        "X-Slack-Request-Timestamp",
        time,
        "X-Slack-Signature",
        "v0=" + GatewayFixture.hmac("s3cret", "v0:" + time + ":" + signed));
  }

  @Test
  void forgedStaleTruncatedOrOversizedRequestsAreRefused() throws IOException {
    slack();
    String event = "{\"event_id\":\"Ev1\",\"type\":\"event_callback\",\"event\":{\"type\":\"x\"}}";
    String shuffled =
        "{\"type\":\"event_callback\",\"event_id\":\"Ev1\",\"event\":{\"type\":\"x\"}}";
    assertThat(slack(event + " ", event, 0).text("/code")).as("forged").isEqualTo("mismatch");
    assertThat(slack(event, event, 600).text("/code")).as("replayed later").isEqualTo("stale");
    assertThat(slack(event, event, -600).text("/code")).as("from the future").isEqualTo("stale");
    assertThat(slack(event, event.substring(0, 40), 0).text("/code"))
        .as("truncated")
        .isEqualTo("mismatch");
    assertThat(slack(event, shuffled, 0).text("/code")).as("re-ordered").isEqualTo("mismatch");
    String half = event.substring(0, 40);
    assertThat(slack(half, half, 0).text("/code")).as("signed half").isEqualTo("body");
    String big = "{\"a\":\"" + "x".repeat(3_000) + "\"}";
    assertThat(slack(big, big, 0).status()).as("oversized").isEqualTo(413);
    assertThat(cutOff(event)).as("cut off").doesNotStartWith("HTTP/1.1 2");
    assertThat(nonUtf8()).as("not UTF-8").isEqualTo(400);
    assertThat(Engines.count(TestEngine.of(app.engine()), "messages")).isZero();

    Answer taken = slack(event, event, 0);
    assertThat(taken.status()).isEqualTo(200);
    assertThat(slack(event, event, 5).text("/id"))
        .as("replayed at once: the same message")
        .isEqualTo(taken.text("/id"));
    assertThat(Engines.count(TestEngine.of(app.engine()), "messages")).isEqualTo(1);
  }

  /** Announces more than it sends, and hangs up. */
  private String cutOff(String body) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", app.port())) {
      OutputStream out = socket.getOutputStream();
      out.write(
          ("POST /in/slack HTTP/1.1\r\nHost: x\r\nContent-Length: "
                  + (body.length() + 10)
                  + "\r\n\r\n"
                  + body)
              .getBytes(StandardCharsets.UTF_8));
      out.flush();
      socket.shutdownOutput();
      InputStream in = socket.getInputStream();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Everything that comes back until the server closes the connection. */
  private String conversation(byte[] bytes) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", app.port())) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static byte[] http(String source, String headers, String body) {
    return ("POST /in/" + source + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n" + body)
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  /**
   * A proxy before us lets only the sources through; what stands in a body must not get past it.
   */
  @Test
  void aRefusedBodyIsNotReadAsTheNextRequest() throws IOException {
    slack();
    gateway.api(
        201, app, "POST", "/source", "{\"name\":\"off\",\"verify\":\"none\",\"enabled\":false}");
    gateway.api(201, app, "POST", "/source", "{\"name\":\"any\",\"verify\":\"none\"}");
    String inner = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
    String exact = "Content-Length: " + inner.length() + "\r\n";
    String chunked = "Transfer-Encoding: chunked\r\n";
    for (List<String> refused :
        List.of(
            List.of("404", "nobody", exact, inner),
            List.of("403", "off", exact, inner),
            List.of("413", "slack", "Content-Length: 5000\r\n", inner + "x".repeat(5000)),
            List.of(
                "413", "slack", chunked, "bb8\r\n" + "x".repeat(3000) + "\r\n0\r\n\r\n" + inner),
            List.of("400", "any", chunked, "zz\r\n" + inner),
            List.of("400", "any", chunked, "-1\r\n" + inner),
            List.of("400", "any", chunked, "ffffffffffffffff\r\n" + inner),
            List.of("415", "any", exact + "Content-Encoding: gzip\r\n", inner))) {
      String answers = conversation(http(refused.get(1), refused.get(2), refused.get(3)));
      assertThat(answers)
          .as(refused.toString())
          .startsWith("HTTP/1.1 " + refused.getFirst())
          .containsIgnoringCase("connection: close")
          .containsOnlyOnce("HTTP/1.1 ");
    }
    assertThat(Engines.count(TestEngine.of(app.engine()), "messages")).isZero();
  }

  /** The refusal arrives, although it comes before the body was read. */
  @Test
  void aCallerThatSendsTooMuchReadsItsAnswer() {
    slack();
    String big = "x".repeat(700_000);
    for (int i = 0; i < 20; i++) {
      assertThat(gateway.in(app, "slack", big).status()).isEqualTo(413);
      assertThat(gateway.in(app, "nobody", big).status()).isEqualTo(404);
    }
  }

  @Test
  void aCompressedBodyIsRefusedWithTheReason() {
    gateway.api(201, app, "POST", "/source", "{\"name\":\"any\",\"verify\":\"none\"}");
    Answer answer = gateway.in(app, "any", "{}", "Content-Encoding", "gzip");
    assertThat(answer.status()).isEqualTo(415);
    assertThat(answer.text("/detail")).contains("without Content-Encoding");
    assertThat(gateway.in(app, "any", "{}", "Content-Encoding", "identity").status())
        .isEqualTo(200);
    await(
        "its owner can see it",
        () ->
            gateway
                .api(200, app, "GET", "/source/any/rejected?reason=encoding", "")
                .text("/data/0/detail")
                .contains("gzip"));
    Answer call =
        gateway.send(
            app,
            "POST",
            "/api/v1/app",
            "{\"name\":\"x\"}".getBytes(StandardCharsets.UTF_8),
            "Authorization",
            "Bearer " + GatewayFixture.KEY,
            "Content-Encoding",
            "gzip");
    assertThat(call.status()).isEqualTo(415);
  }

  /** Some senders begin their JSON with one; inside other JSON it would break that. */
  @Test
  void aByteOrderMarkIsLeftOutOfJson() {
    gateway.api(201, app, "POST", "/source", "{\"name\":\"any\",\"verify\":\"none\"}");
    gateway.api(
        201,
        app,
        "POST",
        "/app/any/route",
        "{\"eventType\":\"*\",\"agentIntent\":\"look\",\"targetSession\":\"s-1\"}");
    try (Receiver receiver = new Receiver(signals)) {
      gateway.api(
          201, app, "POST", "/app/any/endpoint", "{\"url\":\"" + receiver.url("/hook") + "\"}");
      String id =
          gateway.in(app, "any", "\ufeff{\"a\":1}", "Content-Type", "application/json").text("/id");
      assertThat(receiver.await(1).getFirst().text()).endsWith("\"payload\":{\"a\":1}}");
      assertThat(
              gateway
                  .api(200, app, "GET", "/app/any/msg/" + id, "")
                  .json()
                  .at("/payload/a")
                  .asInt())
          .isEqualTo(1);
      gateway.in(app, "any", "\ufefftext", "Content-Type", "text/plain");
      assertThat(receiver.await(2).get(1).text()).as("text stays as it is").contains("\ufefftext");
    }
  }

  private int nonUtf8() {
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"strict\",\"verify\":\"bearer\",\"secret\":\"t0ken\",\"expects\":\"json\"}");
    return gateway
        .send(
            app,
            "POST",
            "/in/strict",
            new byte[] {'"', (byte) 0xc3, (byte) 0x28, '"'},
            "Authorization",
            "Bearer t0ken")
        .status();
  }

  /** A provider that sends each event three times, in any order and at once. */
  @Test
  void eachEventIsDeliveredOnceHoweverOftenItIsSent() throws Exception {
    App second = kind == Databases.Kind.POSTGRES ? gateway.start() : app;
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"github\",\"verify\":\"github\",\"secret\":\"s3cret\"}");
    try (Receiver receiver = new Receiver(signals);
        ExecutorService senders = Executors.newFixedThreadPool(8)) {
      gateway.api(
          201, app, "POST", "/app/github/endpoint", "{\"url\":\"" + receiver.url("/hook") + "\"}");
      List<Integer> sends = new ArrayList<>();
      for (int i = 0; i < EVENTS * SENDS; i++) {
        sends.add(i % EVENTS);
      }
      Collections.shuffle(sends, new Random(7));
      Map<Integer, Set<String>> ids = new ConcurrentHashMap<>();
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < sends.size(); i++) {
        int event = sends.get(i);
        App to = i % 2 == 0 ? app : second;
        running.add(
            senders.submit(
                () -> {
                  Answer answer =
                      gateway.github(
                          to, "github", "s3cret", "delivery-" + event, "{\"n\":" + event + "}");
                  assertThat(answer.status()).isEqualTo(200);
                  ids.computeIfAbsent(event, _ -> ConcurrentHashMap.newKeySet())
                      .add(answer.text("/id"));
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
      assertThat(ids).hasSize(EVENTS);
      assertThat(ids.values()).as("the first message's id").allMatch(some -> some.size() == 1);
      await(
          "all are delivered",
          () -> Engines.count(TestEngine.of(app.engine()), DELIVERED) == EVENTS);
      assertThat(Engines.count(TestEngine.of(app.engine()), "messages")).isEqualTo(EVENTS);
      assertThat(receiver.requests().stream().map(Receiver.Request::text).toList())
          .hasSize(EVENTS)
          .doesNotHaveDuplicates();
    }
  }
}
