package dev.postrider.delivery.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.options.OptionNames;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * All other limits are far above the bound on each test: only the deadline can end these attempts
 * in time.
 */
@Timeout(120)
class HttpSenderDeadlineTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  private static final Duration SHORT = Duration.ofMillis(300);

  private static final SenderSettings NO_OTHER_LIMIT =
      new SenderSettings(
          64,
          Duration.ofMinutes(5),
          Duration.ofMinutes(5),
          10 * 1024,
          64 * 1024,
          1_000_000,
          8 * 1024,
          null,
          ProxyBypass.NONE,
          OptionNames.OF_LIBRARY,
          null,
          SenderSettings.AnswerRules.OF_ENDPOINTS);

  private final SenderRig rig = new SenderRig(NO_OTHER_LIMIT);

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void noAnswerAtAll() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer.Connection::hang)) {
      assertTimesOutAndStaysUsable(server);
    }
  }

  @Test
  void aHeadThatComesByteByByte() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            connection -> {
              connection.readRequest();
              connection.write("HTTP/1.1 200 OK\r\n");
              drip(connection, "X: y\r\n");
            })) {
      assertTimesOutAndStaysUsable(server);
    }
  }

  @Test
  void aBodyThatComesByteByByte() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            connection -> {
              connection.readRequest();
              connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n");
              drip(connection, "b");
            })) {
      assertTimesOutAndStaysUsable(server);
    }
  }

  @Test
  void aTlsHandshakeThatNeverEnds() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer.Connection::hang)) {
      HttpResult outcome = rig.post("https://127.0.0.1:" + server.port() + "/", SHORT);

      assertThat(outcome).isInstanceOf(HttpResult.TimedOut.class);
      assertThat(rig.sender.leasedConnections()).isZero();
    }
  }

  @Test
  void aConnectionThatIsNeverAccepted() throws Exception {
    List<Socket> filling = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      fillBacklog(full, filling);
      HttpResult outcome = rig.post("http://127.0.0.1:" + full.getLocalPort() + "/", SHORT);

      assertThat(outcome).isInstanceOf(HttpResult.TimedOut.class);
      assertThat(rig.sender.leasedConnections()).isZero();
    } finally {
      for (Socket socket : filling) {
        socket.close();
      }
    }
  }

  @Test
  void aRequestThatIsNeverRead() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    try (ScriptedServer server = new ScriptedServer(_ -> done.await())) {
      String body = "b".repeat(20_000_000);
      HttpResult outcome =
          rig.start(server.url(), "POST", new HeaderList(), body, SHORT).get(60, TimeUnit.SECONDS);

      assertThat(outcome).isInstanceOf(HttpResult.TimedOut.class);
      assertThat(rig.sender.leasedConnections()).isZero();
    } finally {
      done.countDown();
    }
  }

  @Test
  void hungAttemptsDoNotDelayOthers() throws Exception {
    try (ScriptedServer hung = new ScriptedServer(ScriptedServer.Connection::hang);
        ScriptedServer good = ScriptedServer.answering(OK)) {
      List<CompletableFuture<HttpResult>> stuck = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        stuck.add(rig.start(hung.url(), Duration.ofSeconds(20)));
      }
      for (int i = 0; i < 20; i++) {
        assertThat(rig.answered(good.url()).status()).isEqualTo(200);
      }
      assertThat(stuck).noneMatch(CompletableFuture::isDone);
    }
  }

  @Test
  void beyondTheConnectionsOfAHostItIsOurFault() throws Exception {
    try (SenderRig small = new SenderRig(SenderSettings.defaults(1));
        ScriptedServer hung =
            new ScriptedServer(
                connection -> {
                  connection.readRequest();
                  connection.hang();
                })) {
      CompletableFuture<HttpResult> first = small.start(hung.url(), Duration.ofSeconds(20));
      hung.nextRequest();

      assertThat(small.post(hung.url())).isInstanceOf(HttpResult.OurFault.class);
      assertThat(first).isNotDone();
    }
  }

  @Test
  void responsesAroundTheDeadlineDoNotAffectTheNextAttempt() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            connection -> {
              while (connection.readRequest()) {
                waitAbout(connection.number % 5);
                connection.write(OK);
              }
            })) {
      List<CompletableFuture<HttpResult>> tries = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        tries.add(rig.start(server.url(), Duration.ofMillis(1 + i % 60)));
        if (tries.size() % 30 == 0) {
          tries.getLast().get(60, TimeUnit.SECONDS);
        }
      }
      for (CompletableFuture<HttpResult> tried : tries) {
        assertThat(tried.get(60, TimeUnit.SECONDS).outcomeClass())
            .isIn(OutcomeClass.SUCCESS, OutcomeClass.TIMEOUT, OutcomeClass.UNKNOWN);
      }
      assertThat(rig.sender.leasedConnections()).isZero();
      for (int i = 0; i < 50; i++) {
        assertThat(rig.answered(server.url()).status()).isEqualTo(200);
      }
    }
  }

  private void assertTimesOutAndStaysUsable(ScriptedServer bad) throws Exception {
    try (ScriptedServer good = ScriptedServer.answering(OK)) {
      HttpResult outcome = rig.post(bad.url(), SHORT);

      assertThat(outcome).isInstanceOf(HttpResult.TimedOut.class);
      assertThat(rig.sender.leasedConnections() + rig.sender.idleConnections()).isZero();
      assertThat(rig.answered(good.url()).status()).isEqualTo(200);
      assertThat(rig.answered(good.url()).status()).isEqualTo(200);
      assertThat(good.connections()).isEqualTo(1);
    }
  }

  /** Writes on at a pace that never lets a single read time out. */
  private static void drip(ScriptedServer.Connection connection, String text) throws Exception {
    while (true) {
      connection.write(text);
      waitAbout(20);
    }
  }

  private static void waitAbout(int millis) throws InterruptedException {
    new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
  }

  /** Connects until the kernel lets no further connection in. */
  private static void fillBacklog(ServerSocket server, List<Socket> filling) throws Exception {
    for (int i = 0; i < 16; i++) {
      Socket socket = new Socket();
      filling.add(socket);
      try {
        socket.connect(server.getLocalSocketAddress(), 300);
      } catch (SocketTimeoutException _) {
        return;
      }
    }
    throw new AssertionError("the backlog did not fill");
  }
}
