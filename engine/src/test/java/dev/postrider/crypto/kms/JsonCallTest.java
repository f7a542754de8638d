package dev.postrider.crypto.kms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a key management service may cost: bytes, time, and which addresses are contacted. */
class JsonCallTest {
  private final CountDownLatch done = new CountDownLatch(1);
  private HttpServer server;

  @BeforeEach
  void open() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(task -> Thread.ofVirtual().start(task));
    server.start();
  }

  @AfterEach
  void close() {
    done.countDown();
    server.stop(0);
  }

  private ServiceAddress configured() {
    return new ServiceAddress(
        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/"), true);
  }

  private void respond(int bytes) {
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          byte[] body =
              ("{\"a\":\"" + "x".repeat(bytes - 8) + "\"}").getBytes(StandardCharsets.UTF_8);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
  }

  @Test
  void aResponseIsLimited() throws Exception {
    respond(JsonCall.MAX_RESPONSE_BYTES);
    assertThat(JsonCall.create().get(configured(), Map.of()).text("a")).hasSizeGreaterThan(60_000);
    server.removeContext("/");
    respond(JsonCall.MAX_RESPONSE_BYTES + 1);
    assertThatThrownBy(() -> JsonCall.create().get(configured(), Map.of()))
        .isInstanceOf(GeneralSecurityException.class)
        .hasMessageContaining("127.0.0.1")
        .hasMessageContaining("65536");
  }

  @Test
  void aResponseThatNeverEndsIsAborted() {
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write('{');
          exchange.getResponseBody().flush();
          await();
        });
    JsonCall call = new JsonCall(InetAddress::getAllByName, Duration.ofMillis(200));
    assertThatThrownBy(() -> call.get(configured(), Map.of()))
        .isInstanceOf(GeneralSecurityException.class)
        .hasMessageContaining("within 200 ms");
  }

  private void await() {
    try {
      done.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** The address of a provider may be in a VPC, but is never that of this machine. */
  @ParameterizedTest
  @CsvSource({
    "https://kms.test/, 52.1.2.3, true",
    "https://kms.test/, 10.1.2.3, true",
    "https://kms.test/, 'fd12::1', true",
    "https://kms.test/, 127.0.0.1, false",
    "https://kms.test/, 169.254.169.254, false",
    "https://kms.test/, '::ffff:169.254.169.254', false",
    "https://kms.test/, 0.0.0.0, false",
    "http://metadata.test/, 169.254.169.254, true",
    "http://metadata.test/, 52.1.2.3, false",
  })
  void theAddressesOfAProvider(URI uri, String address, boolean allowed) throws Exception {
    InetAddress[] found = {InetAddress.ofLiteral("52.1.2.3"), InetAddress.ofLiteral(address)};
    InetAddress[] one = {InetAddress.ofLiteral(address)};
    if (allowed) {
      assertThatCode(() -> new ServiceAddress(uri, false).check(one)).doesNotThrowAnyException();
    } else {
      assertThatThrownBy(() -> new ServiceAddress(uri, false).check(found))
          .isInstanceOf(GeneralSecurityException.class)
          .hasMessageContaining(uri.getHost());
      assertThatCode(() -> new ServiceAddress(uri, true).check(found)).doesNotThrowAnyException();
    }
  }

  @Test
  void anAddressIsCheckedBeforeTheCall() {
    JsonCall call =
        new JsonCall(
            _ -> new InetAddress[] {InetAddress.getLoopbackAddress()}, Duration.ofSeconds(5));
    assertThatThrownBy(
            () -> call.get(new ServiceAddress(URI.create("https://kms.test/"), false), Map.of()))
        .hasMessageContaining("kms.test")
        .hasMessageContaining("AWS_ENDPOINT_URL_KMS");
  }

  /** A name that changes its address between the check and the connection gains nothing. */
  @Test
  void theConnectionIsMadeToTheAddressThatWasChecked() throws Exception {
    respond(100);
    AtomicInteger lookups = new AtomicInteger();
    JsonCall call =
        new JsonCall(
            name -> {
              assertThat(name).isEqualTo("kms.test");
              lookups.incrementAndGet();
              return new InetAddress[] {InetAddress.getLoopbackAddress()};
            },
            Duration.ofSeconds(5));
    URI uri = URI.create("http://kms.test:" + server.getAddress().getPort() + "/");
    for (int calls = 1; calls <= 2; calls++) {
      assertThat(call.get(new ServiceAddress(uri, true), Map.of()).text("a")).hasSize(92);
      assertThat(lookups).hasValue(calls);
    }
  }

  @Test
  void anUnknownNameIsNamed() {
    JsonCall call =
        new JsonCall(
            name -> {
              throw new UnknownHostException(name);
            },
            Duration.ofSeconds(5));
    assertThatThrownBy(
            () -> call.get(new ServiceAddress(URI.create("https://kms.test/"), false), Map.of()))
        .isInstanceOf(GeneralSecurityException.class)
        .hasMessageContaining("kms.test");
  }
}
