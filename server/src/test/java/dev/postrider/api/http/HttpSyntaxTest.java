package dev.postrider.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.http.connection.MalformedRequests;
import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.api.ApiFixture;
import io.helidon.http.RequestException;
import io.helidon.http.Status;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests as bytes: what is not HTTP is refused with the right status and a closed connection, and
 * the less usual forms of HTTP work.
 */
@Timeout(60)
final class HttpSyntaxTest {
  private static final String HEALTH = "/api/v1/health";
  private static final String SEND = "{\"eventType\":\"a.b\",\"payload\":{}}";

  @TempDir static Path folder;

  private static Database database;
  private static ApiFixture api;

  @BeforeAll
  static void open() {
    database = Databases.sqlite(folder);
    api = new ApiFixture(database);
    api.stores.application("acme");
  }

  @AfterAll
  static void close() {
    api.close();
    database.close();
  }

  /** Everything that the server answers until it closes the connection. */
  private static String exchange(String... pieces) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", api.server.port())) {
      socket.setSoTimeout(20_000);
      socket.setTcpNoDelay(true);
      OutputStream out = socket.getOutputStream();
      for (String piece : pieces) {
        out.write(piece.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
      }
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String chunked(String body) {
    return "POST /api/v1/app/acme/msg HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
        + api.token
        + "\r\nTransfer-Encoding: chunked\r\n\r\n"
        + body;
  }

  private static String get(String line, String... headers) {
    return line + "\r\nHost: x\r\n" + String.join("", headers) + "\r\n";
  }

  private static void refused(int status, Map<String, String> requests) throws IOException {
    for (Map.Entry<String, String> request : requests.entrySet()) {
      assertThat(exchange(request.getValue()))
          .as(request.getKey())
          .startsWith("HTTP/1.1 " + status + " ")
          .containsIgnoringCase("connection: close")
          .containsIgnoringCase("x-content-type-options: nosniff")
          .containsIgnoringCase("x-request-id: req_")
          .contains("\"code\":\"")
          .doesNotContain("Exception")
          .containsOnlyOnce("\r\nDate: ");
    }
    assertThat(exchange(get("GET " + HEALTH + " HTTP/1.1", "Connection: close\r\n")))
        .as("others are served")
        .startsWith("HTTP/1.1 204 ");
  }

  @Test
  void aMalformedRequestLineIs400() throws IOException {
    Map<String, String> lines = new LinkedHashMap<>();
    for (String line :
        new String[] {
          "G@T / HTTP/1.1",
          "G\u0000T / HTTP/1.1",
          "(GET) / HTTP/1.1",
          " GET / HTTP/1.1",
          "GET",
          "GET /",
          "GET / HTTP/1.1 ",
          "GET  / HTTP/1.1",
          "GET /\t/ HTTP/1.1",
          "GET /a\rb HTTP/1.1",
          "GET /\u00e4 HTTP/1.1",
          "GET /a#b HTTP/1.1",
          "GET /a?b=%4 HTTP/1.1",
          "GET /a?b=%zz HTTP/1.1",
          "GET / HTTP/2.0",
          "GET / http/1.1",
          "GET / HTTP/1.10",
          "CONNECT example.com:443 HTTP/1.1",
          "GET ftp://example.com/ HTTP/1.1",
          "GET http:///health HTTP/1.1",
          "GET http://user@x/health HTTP/1.1",
          "\u0016\u0003\u0001\u0002"
        }) {
      lines.put(line, get(line));
    }
    lines.put("bare LF", "GET / HTTP/1.1\nHost: x\n\n");
    refused(400, lines);
  }

  @Test
  void malformedHeadersAre400() throws IOException {
    Map<String, String> requests = new LinkedHashMap<>();
    for (String header :
        new String[] {
          "X Bad: 1",
          "X-Space : 1",
          " X-Folded: 1",
          ": none",
          "No-Colon",
          "X-Bare-Cr: a\rb",
          "X-Bare-Lf: a\nX-Other: b",
          "X-Null: a\u0000b",
          "X-Escape: \u001b[31m",
          "Host: y",
          "Content-Length: +2",
          "Content-Length: -1",
          "Content-Length: 0x2",
          "Content-Length: 1, 1",
          "Content-Length: ",
          "Content-Length: 99999999999999999999",
          "Content-Length: 2\r\nContent-Length: 2",
          "Content-Length: 2\r\nTransfer-Encoding: chunked",
          "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
          "Transfer-Encoding: xchunked",
          "Transfer-Encoding: gzip, chunked",
          "Transfer-Encoding: identity",
          "Transfer-Encoding: "
        }) {
      requests.put(header, get("POST " + HEALTH + " HTTP/1.1", header + "\r\n"));
    }
    requests.put("no host", "GET / HTTP/1.1\r\n\r\n");
    for (String host :
        new String[] {
          "", " ", "a b", "a,b/", "x:", "x:a", "x:123456", ":80", "user@x", "[::1", "[]", "::1]"
        }) {
      requests.put("host " + host, "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    }
    requests.put(
        "chunks in HTTP/1.0",
        get("POST " + HEALTH + " HTTP/1.0", "Transfer-Encoding: chunked\r\n") + "0\r\n\r\n");
    refused(400, requests);
  }

  @Test
  void malformedChunksAre400() throws IOException {
    int accepted = api.acceptor.accepted.size();
    Map<String, String> requests = new LinkedHashMap<>();
    for (String body :
        new String[] {
          "+2\r\n{}\r\n0\r\n\r\n",
          "-0\r\n\r\n",
          "0x2\r\n{}\r\n0\r\n\r\n",
          " 2\r\n{}\r\n0\r\n\r\n",
          "2 \r\n{}\r\n0\r\n\r\n",
          "2;a=b\r\n{}\r\n0\r\n\r\n",
          "\r\n{}\r\n0\r\n\r\n",
          "2\r{}\r\n0\r\n\r\n",
          "2\n{}\r\n0\r\n\r\n",
          "2\r\r\n{}\r\n0\r\n\r\n",
          "2\r\n{}xy0\r\n\r\n",
          "2\r\n{}\n0\r\n\r\n",
          "2\r\n{}\r\r\n0\r\n\r\n",
          "2\r\n{}   \r\n0\r\n\r\n",
          "2\r\n{}\r\n0\r\nX-Trailer: 1\r\n\r\n",
          "2\r\n{}\r\n0\r\n\n",
          "ffffffffffffffff2\r\n{}\r\n0\r\n\r\n"
        }) {
      requests.put(body, chunked(body));
    }
    refused(400, requests);
    assertThat(api.acceptor.accepted).hasSize(accepted);
  }

  @Test
  void largeHeadsHaveTheirStatus() throws IOException {
    refused(
        431,
        Map.of(
            "one", get("GET / HTTP/1.1", "X-Big: " + "x".repeat(300_000) + "\r\n"),
            "many", get("GET / HTTP/1.1", "X-Small: abcdefghij\r\n".repeat(2_000)),
            "name", get("GET / HTTP/1.1", "x".repeat(40_000) + ": 1\r\n")));
    refused(414, Map.of("line", get("GET /" + "x".repeat(200_000) + " HTTP/1.1")));
    assertThat(
            exchange(
                get(
                    "GET " + HEALTH + " HTTP/1.1",
                    "Connection: close\r\nX-Big: " + "x".repeat(15_000) + "\r\n")))
        .startsWith("HTTP/1.1 204 ");
  }

  @Test
  void http10IsAnsweredAndClosed() throws IOException {
    for (String head :
        new String[] {
          "GET /health HTTP/1.0\r\n\r\n",
          "GET /health HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n",
          "GET http://x/health HTTP/1.0\r\n\r\n"
        }) {
      assertThat(exchange(head))
          .as(head)
          .startsWith("HTTP/1.1 200 ")
          .containsIgnoringCase("connection: close")
          .containsIgnoringCase("content-length: ")
          .contains("\"instance\"");
    }
    assertThat(
            exchange(
                "POST /api/v1/app/acme/msg HTTP/1.0\r\nAuthorization: Bearer "
                    + api.token
                    + "\r\nContent-Length: "
                    + SEND.length()
                    + "\r\n\r\n"
                    + SEND))
        .startsWith("HTTP/1.1 202 ");
    assertThat(
            exchange(
                "GET /api/v1/live HTTP/1.0\r\nAuthorization: Bearer " + api.token + "\r\n\r\n"))
        .as("a stream has no length")
        .startsWith("HTTP/1.1 505 ");
  }

  @Test
  void aTargetMayBeAbsolute() throws IOException {
    for (String target :
        new String[] {"http://x" + HEALTH, "HTTPS://y:8080" + HEALTH, "http://[::1]" + HEALTH}) {
      assertThat(exchange(get("GET " + target + " HTTP/1.1", "Connection: close\r\n")))
          .as(target)
          .startsWith("HTTP/1.1 204 ");
    }
    for (String root : new String[] {"http://x", "http://x?a=b"}) {
      assertThat(exchange(get("GET " + root + " HTTP/1.1", "Connection: close\r\n")))
          .as(root)
          .startsWith("HTTP/1.1 200 ")
          .contains("Postrider");
    }
  }

  @Test
  void aHostMayHaveAPortAndBrackets() throws IOException {
    for (String host : new String[] {"x", "x:8080", "a-b.c:1", "[::1]", "[fe80::1%25eth0]:80"}) {
      assertThat(
              exchange(
                  "GET " + HEALTH + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
          .as(host)
          .startsWith("HTTP/1.1 204 ");
    }
  }

  @Test
  void aResponseToHeadHasALengthAndNoBody() throws IOException {
    String last = get("GET " + HEALTH + " HTTP/1.1", "Connection: keep-alive, Close\r\n");
    String answers = exchange(get("HEAD /health HTTP/1.1") + last);
    assertThat(answers)
        .startsWith("HTTP/1.1 200 ")
        .containsPattern("Content-Length: [1-9]")
        .contains("\r\n\r\nHTTP/1.1 204 ");
  }

  /** The next request begins behind a body that its handler did not read. */
  @Test
  void aBodyThatNobodyReadsIsLeftOut() throws IOException {
    String last = get("GET " + HEALTH + " HTTP/1.1", "Connection: close\r\n");
    for (String body : new String[] {last, "x".repeat(100_000)}) {
      String counted =
          get("POST /nowhere HTTP/1.1", "Content-Length: " + body.length() + "\r\n") + body;
      String chunks =
          get("POST /nowhere HTTP/1.1", "Transfer-Encoding: chunked\r\n")
              + Integer.toHexString(body.length())
              + "\r\n"
              + body
              + "\r\n0\r\n\r\n";
      assertThat(exchange(counted + chunks + last).split("HTTP/1.1 (?=\\d)", -1))
          .extracting(answer -> answer.substring(0, Math.min(3, answer.length())))
          .containsExactly("", "404", "404", "204");
    }
  }

  @Test
  void aClientIsToldToContinueWhenItsBodyIsWanted() throws IOException {
    String expects = "Expect: 100-continue\r\nContent-Length: " + SEND.length() + "\r\n";
    String key = "Authorization: Bearer " + api.token + "\r\n";
    try (Socket socket = new Socket("127.0.0.1", api.server.port())) {
      socket.setSoTimeout(20_000);
      OutputStream out = socket.getOutputStream();
      String head = get("POST /api/v1/app/acme/msg HTTP/1.1", key, expects);
      out.write(head.getBytes(StandardCharsets.ISO_8859_1));
      assertThat(socket.getInputStream().readNBytes(25))
          .asString()
          .isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
      out.write(SEND.getBytes(StandardCharsets.ISO_8859_1));
      assertThat(socket.getInputStream().readNBytes(12)).asString().isEqualTo("HTTP/1.1 202");
    }
    assertThat(exchange(get("POST /api/v1/app/acme/msg HTTP/1.1", expects)))
        .as("refused without the body")
        .startsWith("HTTP/1.1 401 ")
        .containsIgnoringCase("connection: close");
    assertThat(
            exchange(
                get("POST /api/v1/app/acme/msg HTTP/1.1", key, expects, "Connection: close\r\n")
                    + SEND))
        .as("sent without waiting")
        .startsWith("HTTP/1.1 202 ");
  }

  /** A proxy may send the requests of several clients on one connection. */
  @Test
  void eachRequestOfAConnectionHasItsOwnToken() throws IOException {
    String path = "GET /api/v1/app/acme HTTP/1.1";
    String key = "Authorization: Bearer " + api.token + "\r\n";
    String other = key.substring(0, key.length() - 3) + "?\r\n";
    String requests =
        String.join(
            "",
            get(path, key),
            get(path, other),
            get(path),
            get(path, key, other),
            get(path, key),
            get(path, other, "Connection: close\r\n"));
    assertThat(exchange(requests).split("HTTP/1.1 (?=\\d)", -1))
        .extracting(answer -> answer.substring(0, Math.min(3, answer.length())))
        .containsExactly("", "200", "401", "401", "401", "200", "401");
  }

  @Test
  void aBodyMayComeInChunksAndInPieces() throws IOException {
    StringBuilder chunks = new StringBuilder();
    for (char c : SEND.toCharArray()) {
      chunks.append("0001\r\n").append(c).append("\r\n");
    }
    String request = chunked(chunks + "0\r\n\r\n");
    String last = get("GET " + HEALTH + " HTTP/1.1", "Connection: close\r\n");
    String two = request + "\r\n" + last;
    assertThat(exchange(two)).as("at once").startsWith("HTTP/1.1 202 ").contains("HTTP/1.1 204 ");
    assertThat(exchange(two.split("")))
        .as("byte by byte")
        .startsWith("HTTP/1.1 202 ")
        .contains("HTTP/1.1 204 ");
    String whole =
        request.replace("Transfer-Encoding: chunked", "Content-Length: " + SEND.length());
    String head = whole.substring(0, whole.indexOf("\r\n\r\n") + 4);
    assertThat(exchange((head + SEND + head + SEND + last).split("(?<=\\G.{7})")))
        .as("pipelined")
        .startsWith("HTTP/1.1 202 ")
        .contains("HTTP/1.1 204 ");
    assertThat(exchange(head + SEND + "G@T / HTTP/1.1\r\n\r\n"))
        .as("the second is malformed")
        .startsWith("HTTP/1.1 202 ")
        .contains("HTTP/1.1 400 ");
  }

  @Test
  void theBracketsOfAListInTheQueryMayBeRawOrEncoded() throws IOException {
    String path = "/api/v1/app/acme/msg?limit=1";
    for (String types :
        new String[] {
          "&event_types[]=a.b&event_types[]=%s",
          "&event_types%%5B%%5D=a.b&event_types%%5b%%5d=%s",
          "&event_types=a.b&event_types[]=%s",
          "&event_types[]=a.b,%s"
        }) {
      for (Map.Entry<String, Integer> last : Map.of("c.d", 200, "c%20d", 422).entrySet()) {
        String line = "GET " + path + types.formatted(last.getKey()) + " HTTP/1.1";
        String key = "Authorization: Bearer " + api.token + "\r\n";
        assertThat(exchange(get(line, key, "Connection: close\r\n")))
            .as(line)
            .startsWith("HTTP/1.1 " + last.getValue());
      }
    }
  }

  /** What a caller announces in one chunk is not gathered before it is looked at. */
  @Test
  void aHugeChunkIsRefusedBeforeItHasCome() throws IOException {
    String begun = "x".repeat((int) ApiFixture.MAX_BODY + 1);
    try (Socket socket = new Socket("127.0.0.1", api.server.port())) {
      socket.setSoTimeout(20_000);
      socket
          .getOutputStream()
          .write((chunked("7000000\r\n") + begun).getBytes(StandardCharsets.ISO_8859_1));
      byte[] answer = socket.getInputStream().readNBytes(12);
      assertThat(new String(answer, StandardCharsets.ISO_8859_1)).isEqualTo("HTTP/1.1 413");
    }
  }

  /** The lines of a logger, while it is open; other tests may write to the same one. */
  private static final class Lines extends Handler implements AutoCloseable {
    final List<LogRecord> records = Collections.synchronizedList(new ArrayList<>());
    private final Logger logger;
    private final Level before;

    Lines(String name) {
      logger = Logger.getLogger(name);
      before = logger.getLevel();
      logger.setLevel(Level.INFO);
      logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord event) {
      records.add(event);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
      logger.setLevel(before);
    }
  }

  @Test
  void aMalformedRequestLogsNoStackTrace() throws IOException {
    try (Lines lines = new Lines("io.helidon")) {
      exchange("G@T / HTTP/1.1\r\n\r\n");
      exchange(chunked("2\r{}\r\n0\r\n\r\n"));
      exchange("GET / HTTP/1.1\r\n\r\n");
      assertThat(lines.records).noneMatch(line -> line.getThrown() instanceof RequestException);
    }
  }

  @Test
  void malformedRequestsDoNotFloodTheLog() {
    ManualTime time = new ManualTime();
    MalformedRequests malformed = new MalformedRequests(time);
    try (Lines lines = new Lines(MalformedRequests.class.getName())) {
      for (int line = 0; line < 2; line++) {
        for (int i = 0; i < 20; i++) {
          malformed.log(
              "peer of this test", MalformedRequests.refusal(Status.BAD_REQUEST_400, "bad"));
        }
        time.advance(MalformedRequests.LOG_EVERY);
      }
      assertThat(lines.records.stream().map(new SimpleFormatter()::formatMessage))
          .filteredOn(line -> line.contains("peer of this test"))
          .containsExactly(
              "rejected a malformed request from peer of this test with 400: bad (and 0 others since the last such line)",
              "rejected a malformed request from peer of this test with 400: bad (and 19 others since the last such line)");
    }
  }
}
