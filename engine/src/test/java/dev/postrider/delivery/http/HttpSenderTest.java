package dev.postrider.delivery.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpSenderTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  private final SenderRig rig = new SenderRig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void sendsTheRequestAsGiven() throws Exception {
    try (ScriptedServer server = ScriptedServer.answering(OK)) {
      HeaderList headers = new HeaderList().add("X-CamelCase", "One").add("x-lower", "two");
      String url = server.url() + "?a=b";
      HttpResult outcome =
          rig.start(url, "POST", headers, "{\"a\":1}", SenderRig.LONG).get(60, TimeUnit.SECONDS);

      assertThat(outcome.outcomeClass()).isEqualTo(OutcomeClass.SUCCESS);
      assertThat(server.nextRequest())
          .isEqualTo(
              "POST /hook?a=b HTTP/1.1\r\nHost: 127.0.0.1:"
                  + server.port()
                  + "\r\nX-CamelCase: One\r\nx-lower: two\r\nContent-Length: 7\r\n\r\n{\"a\":1}");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1500, 3000, 16 * 1024, 16 * 1024 + 1, 400_000})
  void sendsBodiesOfAnySizeWhole(int size) throws Exception {
    try (ScriptedServer server = ScriptedServer.answering(OK)) {
      String body = "b".repeat(size);
      rig.start(server.url(), "POST", new HeaderList(), body, SenderRig.LONG)
          .get(60, TimeUnit.SECONDS);

      assertThat(server.nextRequest()).endsWith("Content-Length: " + size + "\r\n\r\n" + body);
    }
  }

  @Test
  void passesOnStatusBodyAndTheTwoHeadersThatSteerRetries() throws Exception {
    try (ScriptedServer server =
        ScriptedServer.answering(
            "HTTP/1.1 503 No\r\n"
                + "RETRY-AFTER: 120\r\n"
                + "Webhook-Delivery: stop\r\n"
                + "Content-Length: 4\r\n\r\n"
                + "busy")) {
      HttpResult.Answered answer = rig.answered(server.url());

      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.outcomeClass()).isEqualTo(OutcomeClass.HTTP);
      assertThat(text(answer)).isEqualTo("busy");
      assertThat(answer.truncated()).isFalse();
      assertThat(answer.retryAfter()).isEqualTo("120");
      assertThat(answer.control()).isEqualTo("stop");
    }
  }

  @Test
  void usesAKeptConnectionAgain() throws Exception {
    try (ScriptedServer server = ScriptedServer.answering(OK)) {
      for (int i = 0; i < 5; i++) {
        assertThat(rig.answered(server.url()).status()).isEqualTo(200);
      }
      assertThat(server.connections()).isEqualTo(1);
      assertThat(rig.sender.leasedConnections()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\n"
            + "Transfer-Encoding: chunked\r\n"
            + "Content-Length: 2\r\n\r\n"
            + "2\r\n"
            + "ok\r\n"
            + "0\r\n\r\n"
      })
  void doesNotKeepAConnectionThatCannotBeTrusted(String answer) throws Exception {
    try (ScriptedServer server = ScriptedServer.answering(answer)) {
      assertThat(text(rig.answered(server.url()))).isEqualTo("ok");
      assertThat(text(rig.answered(server.url()))).isEqualTo("ok");
      assertThat(server.connections()).isEqualTo(2);
    }
  }

  @Test
  void readsAChunkedAnswerAndKeepsTheConnection() throws Exception {
    try (ScriptedServer server =
        ScriptedServer.answering(
            "HTTP/1.1 200 OK\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n"
                + "3\r\n"
                + "abc\r\n"
                + "4;x=y\r\n"
                + "defg\r\n"
                + "0\r\n"
                + "T: r\r\n\r\n")) {
      assertThat(text(rig.answered(server.url()))).isEqualTo("abcdefg");
      assertThat(text(rig.answered(server.url()))).isEqualTo("abcdefg");
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void readsAnAnswerThatEndsWithItsConnection() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            connection -> {
              connection.readRequest();
              connection.write("HTTP/1.1 200 OK\r\n\r\nuntil the end");
            })) {
      assertThat(text(rig.answered(server.url()))).isEqualTo("until the end");
      assertThat(rig.sender.idleConnections()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"HTTP/1.1 204 No\r\n\r\n", "HTTP/1.1 304 No\r\nContent-Length: 9\r\n\r\n"})
  void knowsAnswersWithoutABody(String answer) throws Exception {
    try (ScriptedServer server = ScriptedServer.answering(answer)) {
      assertThat(rig.answered(server.url()).body()).isEmpty();
      assertThat(rig.answered(server.url()).body()).isEmpty();
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void skipsInterimAnswersButNotWithoutEnd() throws Exception {
    String interim = "HTTP/1.1 102 Wait\r\n\r\n";
    try (ScriptedServer few = ScriptedServer.answering(interim + interim + OK);
        ScriptedServer many = ScriptedServer.answering(interim.repeat(50) + OK)) {
      assertThat(rig.answered(few.url()).status()).isEqualTo(200);
      assertThat(rig.post(many.url()).outcomeClass()).isEqualTo(OutcomeClass.NETWORK);
    }
  }

  @Test
  void doesNotFollowRedirects() throws Exception {
    try (ScriptedServer other = ScriptedServer.answering(OK);
        ScriptedServer server =
            ScriptedServer.answering(
                "HTTP/1.1 307 Go\r\nLocation: " + other.url() + "\r\nContent-Length: 0\r\n\r\n")) {
      HttpResult.Answered answer = rig.answered(server.url());

      assertThat(answer.status()).isEqualTo(307);
      assertThat(answer.outcomeClass()).isEqualTo(OutcomeClass.HTTP);
      assertThat(other.connections()).isZero();
    }
  }

  @Test
  void keepsTenKilobytesAndTheConnectionOfALongAnswer() throws Exception {
    String body = "x".repeat(30_000);
    try (ScriptedServer server =
        ScriptedServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 30000\r\n\r\n" + body)) {
      HttpResult.Answered answer = rig.answered(server.url());

      assertThat(answer.body()).hasSize(10 * 1024);
      assertThat(answer.truncated()).isTrue();
      rig.answered(server.url());
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void anAnswerOfExactlyTheCapIsNotTruncated() throws Exception {
    String chunk = "2800\r\n" + "y".repeat(10 * 1024) + "\r\n0\r\n\r\n";
    try (ScriptedServer server =
        ScriptedServer.answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk)) {
      HttpResult.Answered answer = rig.answered(server.url());

      assertThat(answer.body()).hasSize(10 * 1024);
      assertThat(answer.truncated()).isFalse();
      assertThat(rig.sender.idleConnections()).isEqualTo(1);
    }
  }

  @Test
  void closesTheConnectionOfAnEndlessAnswer() throws Exception {
    CountDownLatch cut = new CountDownLatch(1);
    try (ScriptedServer server =
        new ScriptedServer(
            connection -> {
              connection.readRequest();
              connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
              try {
                while (true) {
                  connection.write("400\r\n" + "z".repeat(1024) + "\r\n");
                }
              } finally {
                cut.countDown();
              }
            })) {
      HttpResult.Answered answer = rig.answered(server.url());

      assertThat(answer.body()).hasSize(10 * 1024);
      assertThat(answer.truncated()).isTrue();
      assertThat(cut.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(rig.sender.leasedConnections() + rig.sender.idleConnections()).isZero();
    }
  }

  @Test
  void boundsTheHeadOfAnAnswer() throws Exception {
    String longLine = "HTTP/1.1 200 OK\r\nX: " + "h".repeat(20_000) + "\r\n\r\n";
    String manyLines = "HTTP/1.1 200 OK\r\n" + "X: y\r\n".repeat(5_000) + "\r\n";
    try (ScriptedServer line = ScriptedServer.answering(longLine);
        ScriptedServer lines = ScriptedServer.answering(manyLines)) {
      assertThat(rig.post(line.url()).outcomeClass()).isEqualTo(OutcomeClass.NETWORK);
      assertThat(rig.post(lines.url()).outcomeClass()).isEqualTo(OutcomeClass.NETWORK);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "garbage\r\n\r\n",
        "SSH-2.0-OpenSSH_9.6\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 99 Low\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nok\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "\u0000\u0001\u0002\u0003",
        ""
      })
  void garbageIsANetworkError(String answer) throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            connection -> {
              connection.readRequest();
              connection.write(answer);
            })) {
      HttpResult outcome = rig.post(server.url());

      assertThat(outcome).isInstanceOf(HttpResult.NetworkError.class);
      assertThat(((HttpResult.NetworkError) outcome).detail()).isNotBlank();
      assertThat(rig.sender.leasedConnections() + rig.sender.idleConnections()).isZero();
    }
  }

  @Test
  void aRefusedConnectionAndAnUnknownNameAreNetworkErrors() throws Exception {
    try (Socket bound = new Socket()) {
      // Bound and not listening: nobody else can get this port meanwhile.
      bound.bind(new InetSocketAddress("127.0.0.1", 0));
      assertThat(rig.post("http://127.0.0.1:" + bound.getLocalPort() + "/"))
          .isInstanceOfSatisfying(
              HttpResult.NetworkError.class,
              error -> assertThat(error.detail()).contains("refused").doesNotContain("["));
    }
    assertThat(rig.post("http://no-such-name.invalid/"))
        .isInstanceOf(HttpResult.NetworkError.class);
  }

  @Test
  void aKeptConnectionThatDiedIsRetriedOnceOnAFreshOne() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    try (ScriptedServer server =
        new ScriptedServer(
            connection -> {
              if (connection.number == 1) {
                connection.readRequest();
                connection.write(OK);
                connection.socket.close();
                closed.countDown();
              } else {
                while (connection.readRequest()) {
                  connection.write(OK);
                }
              }
            })) {
      rig.answered(server.url());
      closed.await();

      assertThat(rig.answered(server.url()).status()).isEqualTo(200);
      assertThat(server.connections()).isEqualTo(2);
    }
  }

  /** The endpoint has the request: to send it again without a word would hide a duplicate. */
  @Test
  void aKeptConnectionThatIsResetAfterTheRequestIsAFailure() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            connection -> {
              connection.readRequest();
              connection.write(OK);
              connection.readRequest();
              connection.socket.setSoLinger(true, 0); // closing it sends a reset
            })) {
      assertThat(rig.answered(server.url()).sentTwice()).isFalse();

      assertThat(rig.post(server.url())).isInstanceOf(HttpResult.NetworkError.class);
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void aKeptConnectionCutWhileWaitingIsRetriedOnce() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            connection -> {
              connection.readRequest();
              if (connection.number == 1) {
                connection.write(OK);
                connection.readRequest(); // and closes without an answer
              } else {
                connection.write(OK);
                connection.hang();
              }
            })) {
      rig.answered(server.url());

      HttpResult.Answered answer = rig.answered(server.url());
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.sentTwice()).isTrue();
      assertThat(server.connections()).isEqualTo(2);
    }
  }

  @Test
  void aFreshConnectionThatDiesIsNotRetried() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer.Connection::readRequest)) {
      assertThat(rig.post(server.url())).isInstanceOf(HttpResult.NetworkError.class);
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void aConnectionThatBrokeInsideTheAnswerIsNotRetried() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            connection -> {
              connection.readRequest();
              connection.write(OK);
              connection.readRequest();
              connection.write("HTTP/1.1 2");
            })) {
      rig.answered(server.url());

      assertThat(rig.post(server.url())).isInstanceOf(HttpResult.NetworkError.class);
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void aStoppedSenderReportsAFaultOfOurs() throws Exception {
    rig.sender.close();

    assertThat(rig.post("http://127.0.0.1:9/").outcomeClass()).isEqualTo(OutcomeClass.UNKNOWN);
  }

  private static String text(HttpResult.Answered answer) {
    return new String(answer.body(), StandardCharsets.ISO_8859_1);
  }

  @Test
  void aClientOfFilesSeesTheirVersionAndWhetherTheyAreWhole() throws Exception {
    SenderSettings settings =
        SenderSettings.defaults(1).withAnswers(new SenderSettings.AnswerRules("etag", false));
    String head = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nWebhook-Delivery: stop\r\n";
    try (SenderRig files = new SenderRig(settings);
        ScriptedServer whole = ScriptedServer.answering(head + "Content-Length: 2\r\n\r\nok");
        ScriptedServer open =
            new ScriptedServer(
                connection -> {
                  connection.readRequest();
                  connection.write(head + "Connection: close\r\n\r\nok");
                })) {
      HttpResult.Answered answered = files.answered(whole.url());
      assertThat(answered.control()).isEqualTo("\"v1\"");
      assertThat(answered.truncated()).isFalse();
      HttpResult.Answered cut = files.answered(open.url());
      assertThat(new String(cut.body(), StandardCharsets.UTF_8)).isEqualTo("ok");
      assertThat(cut.truncated()).as("it may have had more").isTrue();
      assertThat(rig.answered(open.url()).truncated()).as("an endpoint's").isFalse();
    }
  }
}
