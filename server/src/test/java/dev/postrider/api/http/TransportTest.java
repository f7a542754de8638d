package dev.postrider.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.api.ApiFixture;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are wrong as bytes: too large, too slow, not HTTP. */
@Timeout(120)
final class TransportTest {
  @TempDir Path folder;

  private Database database;
  private ApiFixture api;

  @BeforeEach
  void open() {
    database = Databases.sqlite(folder);
    api = new ApiFixture(database, Duration.ofSeconds(1));
    api.stores.application("acme");
  }

  @AfterEach
  void close() {
    api.close();
    database.close();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket("127.0.0.1", api.server.port());
    socket.setSoTimeout(20_000);
    return socket;
  }

  private String head(String method, String path, String headers) {
    return method
        + " "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
        + api.token
        + "\r\n"
        + headers
        + "\r\n";
  }

  private static void write(Socket socket, String text) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /** Everything until the server closes. */
  private static String rest(Socket socket) throws IOException {
    try {
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (SocketException e) {
      return "";
    }
  }

  private static String firstBytes(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    byte[] buffer = new byte[4096];
    int read = in.read(buffer);
    return read < 0 ? "" : new String(buffer, 0, read, StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit",
        "limit&order",
        "limit=",
        "=",
        "=x",
        "&&&",
        "?",
        "limit=%",
        "limit=%zz",
        "iterator=%00",
        "iterator=%ff%fe",
        "iterator=\"<>{}|^`",
        "order=ascending&order=descending",
        "limit=1;order=x",
        "iterator=\u00e4\u20ac",
        "limit=1#fragment",
        "exclude_apps_with_no_endpoints"
      })
  void aRawQueryIsNeverAFaultOfOurs(String query) throws IOException {
    for (String path : new String[] {"/api/v1/app", "/api/v1/event-type", "/api/v1/app/acme/msg"}) {
      try (Socket socket = connect()) {
        write(socket, head("GET", path + "?" + query, "Connection: close\r\n"));
        assertThat(firstBytes(socket)).as(path + "?" + query).matches("(?s)HTTP/1.1 [24]\\d\\d .*");
      }
    }
  }

  @Test
  void anAnnouncedHugeBodyIsRefusedBeforeItIsSent() throws IOException {
    try (Socket socket = connect()) {
      write(socket, head("POST", "/api/v1/app/acme/msg", "Content-Length: 10000000\r\n"));
      assertThat(firstBytes(socket)).startsWith("HTTP/1.1 413").contains("payload_too_large");
    }
  }

  @Test
  void anUnannouncedHugeBodyIsRefusedOnTheWay() throws IOException {
    try (Socket socket = connect()) {
      write(socket, head("POST", "/api/v1/app/acme/msg", "Transfer-Encoding: chunked\r\n"));
      String chunk = "4000\r\n" + "x".repeat(0x4000) + "\r\n";
      for (int i = 0; i < 5; i++) {
        write(socket, chunk);
      }
      assertThat(firstBytes(socket)).startsWith("HTTP/1.1 413").contains("payload_too_large");
    }
  }

  @Test
  void aClientThatSendsAHugeBodyToItsEndReadsTheRefusal() throws IOException {
    try (Socket socket = connect()) {
      write(socket, head("POST", "/api/v1/app/acme/msg", "Content-Length: 31457280\r\n"));
      String part = "x".repeat(1 << 20);
      for (int i = 0; i < 30; i++) {
        write(socket, part);
      }
      assertThat(firstBytes(socket)).startsWith("HTTP/1.1 413").contains("payload_too_large");
    }
  }

  /** Announcing costs nothing, so nothing is set aside for it; what has come is bounded. */
  @Test
  void largeBodiesAreHeldOnlyUpToABound() throws Exception {
    api.close();
    api = new ApiFixture(database, Duration.ofSeconds(30));
    List<Socket> callers = new ArrayList<>();
    try {
      String begun = head("POST", "/api/v1/app/acme/msg", "Content-Length: 65000\r\n");
      String most = "{" + " ".repeat(60_000);
      for (int i = 0; i < 140; i++) {
        Socket socket = connect();
        callers.add(socket);
        write(socket, begun + most);
      }
      Signals.poll("one is refused", () -> callers.stream().anyMatch(TransportTest::isAnswered));
      Socket refused = callers.stream().filter(TransportTest::isAnswered).findFirst().orElseThrow();
      assertThat(firstBytes(refused))
          .startsWith("HTTP/1.1 503")
          .containsIgnoringCase("retry-after: 1")
          .containsIgnoringCase("connection: close")
          .contains("too_many_bodies");
      try (Socket socket = connect()) {
        String small = "{\"eventType\":\"a\",\"payload\":{}}";
        write(
            socket,
            head("POST", "/api/v1/app/acme/msg", "Content-Length: " + small.length() + "\r\n")
                + small);
        assertThat(firstBytes(socket)).as("small ones go on").startsWith("HTTP/1.1 202");
      }
    } finally {
      for (Socket socket : callers) {
        socket.close();
      }
    }
    String large = "{\"eventType\":\"a\",\"payload\":{\"a\":\"%s\"}}".formatted("x".repeat(40_000));
    api.await("their room is free again", () -> answer(large).startsWith("HTTP/1.1 202"));
  }

  private String answer(String body) {
    try (Socket socket = connect()) {
      write(
          socket,
          head("POST", "/api/v1/app/acme/msg", "Content-Length: " + body.length() + "\r\n") + body);
      return firstBytes(socket);
    } catch (IOException e) {
      return "";
    }
  }

  @Test
  void aCallerThatSendsAByteNowAndThenIsCutOff() throws Exception {
    try (Socket socket = connect()) {
      assertThat(dripUntilClosed(socket, "GET /api/v1/app HTTP/1.1\r\nX-Slow: ", "a")).isTrue();
    }
  }

  @Test
  void aBodyThatDripsIsCutOff() throws Exception {
    try (Socket socket = connect()) {
      String head =
          head("POST", "/api/v1/app/acme/msg", "Content-Length: 1000\r\n") + "{\"eventType\":\"";
      assertThat(dripUntilClosed(socket, head, "a")).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{\"eventType\":"})
  void aBodyThatNeverComesIsAnsweredAsTooLate(String begun) throws IOException {
    try (Socket socket = connect()) {
      write(socket, head("POST", "/api/v1/app/acme/msg", "Content-Length: 1000\r\n") + begun);
      assertThat(rest(socket))
          .startsWith("HTTP/1.1 408 ")
          .contains("request_timeout", "POSTRIDER_SERVER_TIMEOUT")
          .containsIgnoringCase("connection: close");
    }
  }

  @Test
  void aHeadThatNeverEndsIsAnsweredAsTooLate() throws IOException {
    try (Socket socket = connect()) {
      write(socket, "GET /api/v1/app HTTP/1.1\r\nHost: x\r\nX-Slow: a");
      assertThat(rest(socket)).startsWith("HTTP/1.1 408 ");
    }
  }

  /** A kept connection that nobody uses has no request to answer. */
  @Test
  void anIdleConnectionIsClosedWithoutAnAnswer() throws IOException {
    try (Socket socket = connect()) {
      write(socket, "GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(rest(socket)).startsWith("HTTP/1.1 204 ").doesNotContain("408");
    }
  }

  @Test
  void aSilentConnectionIsClosed() throws IOException {
    try (Socket socket = connect()) {
      assertThat(rest(socket)).isEmpty();
    }
  }

  /** Sends one byte every tenth of a second; true if the server ends the connection. */
  private static boolean dripUntilClosed(Socket socket, String head, String drip) throws Exception {
    write(socket, head);
    socket.setSoTimeout(100);
    InputStream in = socket.getInputStream();
    for (int i = 0; i < 300; i++) {
      try {
        write(socket, drip);
        if (in.read() < 0) {
          return true;
        }
      } catch (SocketTimeoutException e) {
        // Nothing came, as expected; go on dripping.
        Objects.requireNonNull(e);
      } catch (IOException e) {
        return true;
      }
    }
    return false;
  }

  @Test
  void headersThatAreTooLargeOrMalformedAreRefused() throws IOException {
    for (String headers :
        new String[] {
          "X-Big: " + "x".repeat(20_000) + "\r\n",
          "X Bad: 1\r\n",
          "X-Bare-Cr: a\rb\r\n",
          "No-Colon\r\n"
        }) {
      try (Socket socket = connect()) {
        write(socket, head("GET", "/api/v1/app", headers));
        assertThat(firstBytes(socket))
            .as(headers.substring(0, 8))
            .startsWith("HTTP/1.1 4")
            .containsIgnoringCase("x-request-id: req_")
            .doesNotContain("Exception");
      }
    }
  }

  @Test
  void requestsThatAreNotHttpAreRefused() throws IOException {
    for (String line :
        new String[] {
          "hello\r\n\r\n",
          "GET  /a HTTP/1.1\r\n\r\n",
          "GET /api/v1/app HTTP/9.9\r\n\r\n",
          "GET /" + "x".repeat(9_000) + " HTTP/1.1\r\n\r\n"
        }) {
      try (Socket socket = connect()) {
        write(socket, line);
        assertThat(rest(socket))
            .as(line.substring(0, 5))
            .doesNotContain("Exception")
            .doesNotContain(" 50");
      }
    }
  }

  @Test
  void aPathThatDoesNotDecodeIsNotFound() throws IOException {
    for (String path : new String[] {"/api/v1/app/%zz", "/api/v1/app/%2", "/api/v1/app/%c3%28"}) {
      try (Socket socket = connect()) {
        write(socket, head("GET", path, ""));
        assertThat(firstBytes(socket)).as(path).startsWith("HTTP/1.1 40");
      }
    }
  }

  @Test
  void aCompressedBodyIsRefused() throws IOException {
    try (Socket socket = connect()) {
      write(
          socket,
          head("POST", "/api/v1/app", "Content-Encoding: gzip\r\nContent-Length: 2\r\n") + "{}");
      assertThat(firstBytes(socket)).startsWith("HTTP/1.1 4");
    }
  }

  private static boolean isAnswered(Socket socket) {
    try {
      return socket.getInputStream().available() > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aBodyThatBreaksOffWritesNothing() throws IOException {
    try (Socket socket = connect()) {
      write(socket, head("POST", "/api/v1/app", "Content-Length: 100\r\n") + "{\"name\":\"half\"}");
      socket.shutdownOutput();
      rest(socket);
    }
    assertThat(api.call("GET", "/api/v1/app?limit=250", null).json().toString())
        .doesNotContain("half");
  }
}
