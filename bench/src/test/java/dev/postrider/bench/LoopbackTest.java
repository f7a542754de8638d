package dev.postrider.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.bench.load.LoadPlan;
import dev.postrider.bench.load.LoadSnapshot;
import dev.postrider.bench.load.Loader;
import dev.postrider.bench.raw.RawClient;
import dev.postrider.bench.raw.RawPlan;
import dev.postrider.bench.report.Latency;
import dev.postrider.bench.sink.Sink;
import dev.postrider.bench.sink.SinkSnapshot;
import dev.postrider.bench.testbed.Pause;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The parts against each other: the sink answers the loader as a server would, with 200. */
@Timeout(120)
class LoopbackTest {
  private static final int HOSTS = 3;
  private static final double LIMIT_SECONDS = 60;

  private final SystemTime time = new SystemTime();
  private final Pause pause = new Pause(time);
  private Sink sink;
  private Loader loader;

  @BeforeEach
  void start() throws IOException {
    sink = new Sink(HOSTS, time);
    sink.start();
    loader = new Loader(time);
    loader.start();
  }

  @AfterEach
  void stop() {
    loader.close();
    sink.close();
  }

  private LoadPlan plan(int connections, double rate, int batch, long limit) {
    String server = "127.0.0.1:" + sink.port();
    return new LoadPlan(
        List.of(server),
        List.of("app_a", "app_b"),
        "token",
        "test-",
        "bench.sent",
        500,
        connections,
        rate,
        batch,
        limit,
        "");
  }

  private LoadSnapshot runToTheEnd(LoadPlan plan) {
    loader.run(plan);
    assertThat(pause.await(LIMIT_SECONDS, () -> loader.snapshot(false).done())).isTrue();
    return loader.snapshot(true);
  }

  @Test
  void everyRequestOfAClosedLoopIsAnsweredAndTimedOnBothSides() {
    LoadSnapshot load = runToTheEnd(plan(8, 0, 1, 5000));
    SinkSnapshot seen = sink.snapshot(true);

    assertThat(load.accepted()).isEqualTo(5000);
    assertThat(load.errors()).isZero();
    assertThat(Latency.of(Latency.decode(load.histogram())).count()).isEqualTo(5000);
    assertThat(seen.ok()).isEqualTo(5000);
    assertThat(seen.connections()).isEqualTo(8);
    Latency latency = Latency.of(Latency.decode(seen.histogram()));
    assertThat(latency.count()).isEqualTo(5000);
    assertThat(latency.p50()).isBetween(0.001, 1000.0);
  }

  @Test
  void anOpenLoopKeepsItsRate() {
    long start = time.nanos();
    LoadSnapshot load = runToTheEnd(plan(16, 400, 1, 200));
    double seconds = (time.nanos() - start) / 1e9;

    assertThat(load.accepted()).isEqualTo(200);
    assertThat(seconds).isGreaterThan(0.45);
  }

  @Test
  void aBatchCountsItsMessages() {
    LoadSnapshot load = runToTheEnd(plan(2, 0, 100, 50));

    assertThat(load.accepted()).isEqualTo(5000);
    assertThat(sink.snapshot(false).ok()).isEqualTo(50);
  }

  /** A batch is answered 202 even if some of its messages were not taken. */
  @Test
  void refusedMessagesOfABatchAreNotCountedAsAccepted() throws IOException {
    String body = "{\"data\":[{\"status\":202,\"id\":\"a\"},{\"status\":503,\"id\":null}]}";
    String answer = "HTTP/1.1 202 Accepted\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> answerOnce(server, answer));
      LoadPlan plan =
          new LoadPlan(
              List.of("127.0.0.1:" + server.getLocalPort()),
              List.of("app_a"),
              "token",
              "test-",
              "bench.sent",
              100,
              1,
              0,
              2,
              1,
              "");
      LoadSnapshot load = runToTheEnd(plan);

      assertThat(List.of(load.accepted(), load.refused(), load.errors()))
          .containsExactly(1L, 1L, 0L);
      assertThat(load.lastRefusal()).startsWith("\"status\":503");
    }
  }

  private static void answerOnce(ServerSocket server, String answer) {
    try (Socket socket = server.accept()) {
      socket.getInputStream().read();
      socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
      socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // The loader then sees a broken connection, and the test fails.
    }
  }

  @Test
  void resetForgetsTheWindowButNotTheTotal() {
    runToTheEnd(plan(2, 0, 1, 10));
    sink.reset();
    loader.reset();

    assertThat(sink.snapshot(false))
        .extracting(SinkSnapshot::ok, SinkSnapshot::total)
        .containsExactly(0L, 10L);
    assertThat(loader.snapshot(false).accepted()).isZero();
    assertThat(loader.snapshot(false).totalAccepted()).isEqualTo(10);
  }

  @Test
  void aServerThatIsNotThereIsAnErrorAndNoStorm() throws IOException {
    LoadPlan plan = plan(4, 0, 1, 20);
    sink.close();
    sink = new Sink(HOSTS, time);
    sink.start();
    LoadSnapshot load = runToTheEnd(plan);

    assertThat(load.accepted()).isZero();
    assertThat(load.errors()).isEqualTo(20);
    assertThat(load.lastError()).contains("refused");
  }

  @Test
  void theRawClientReachesAllHosts() {
    List<String> urls = List.of(url(0, "ok"), url(1, "ok"), url(2, "ok"));
    try (RawClient raw = new RawClient(new RawPlan(urls, 16, 500), time)) {
      raw.start();
      assertThat(pause.await(LIMIT_SECONDS, () -> raw.snapshot().delivered() > 500)).isTrue();
      assertThat(raw.snapshot().failed()).as(raw.snapshot().lastFailure()).isZero();
    }
    assertThat(sink.snapshot(true).ok()).isGreaterThan(500);
  }

  @Test
  void thePathSaysHowToAnswer() throws IOException {
    assertThat(answer("fail", 2_000)).startsWith("HTTP/1.1 500");
    long start = time.nanos();
    assertThat(answer("slow-300", 2_000)).startsWith("HTTP/1.1 200");
    assertThat((time.nanos() - start) / 1e6).isGreaterThan(290);
    assertThat(answer("hang", 200)).isEmpty();
    assertThat(pause.await(LIMIT_SECONDS, () -> sink.snapshot(false).held() == 0)).isTrue();
    SinkSnapshot seen = sink.snapshot(false);
    assertThat(List.of(seen.fail(), seen.slow(), seen.hang())).containsOnly(1L);
  }

  @Test
  void releaseClosesTheConnectionsThatWaitForAnAnswer() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), sink.port())) {
      socket.setSoTimeout((int) (LIMIT_SECONDS * 1000));
      socket
          .getOutputStream()
          .write(
              "POST /hang/1 HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"
                  .getBytes(StandardCharsets.US_ASCII));
      assertThat(pause.await(LIMIT_SECONDS, () -> sink.snapshot(false).held() == 1)).isTrue();

      sink.release();

      assertThat(socket.getInputStream().read()).isEqualTo(-1);
      assertThat(sink.snapshot(false).held()).isZero();
    }
  }

  private String url(int host, String answer) {
    return "http://" + Sink.host(host) + ":" + sink.port() + "/" + answer + "/1";
  }

  private String answer(String path, int limitMs) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), sink.port())) {
      socket.setSoTimeout(limitMs);
      socket
          .getOutputStream()
          .write(
              ("POST /" + path + "/1 HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
                  .getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      return new String(in.readNBytes("HTTP/1.1 200".length()), StandardCharsets.US_ASCII);
    } catch (SocketTimeoutException e) {
      return "";
    }
  }
}
