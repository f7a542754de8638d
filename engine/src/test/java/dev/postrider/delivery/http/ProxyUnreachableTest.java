package dev.postrider.delivery.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.TestEngine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** While the egress proxy is unreachable, deliveries wait; endpoints are not blamed. */
@Timeout(120)
class ProxyUnreachableTest {
  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void deliveriesWaitWithoutAnAttempt(Databases.Kind kind) throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (Engines engines = new Engines(kind, folder)) {
      TestEngine engine = engines.start("EGRESS_PROXY=http://127.0.0.1:" + port);
      Application acme = engines.application(engine, "acme");
      Endpoint endpoint = engines.endpoint(engine, acme, "http://127.0.0.1:9/hook");
      for (int i = 0; i < 10; i++) {
        Engines.send(engine, acme, "{}");
      }
      untilGivenBack(engines, engine);
      assertThat(Engines.attempts(engine)).isZero();
      assertThat(Engines.deliveries(engine)).allMatch(row -> row.attempts() == 0);
      assertThat(Engines.lane(engine, endpoint.id().value()).state().consecutiveFailures())
          .isZero();

      try (ServerSocket proxy = new ServerSocket(port, 50, InetAddress.getLoopbackAddress())) {
        Thread.ofVirtual().start(() -> answer(proxy));
        engines.await(
            "delivered",
            () ->
                Engines.deliveries(engine).stream()
                    .allMatch(row -> row.status() == DeliveryStatus.DELIVERED));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void onlyOneDeliveryAtATimeFindsOutWhetherItIsBack(Databases.Kind kind) throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (Engines engines = new Engines(kind, folder)) {
      TestEngine engine = engines.start("EGRESS_PROXY=http://127.0.0.1:" + port);
      Application acme = engines.application(engine, "acme");
      for (int i = 0; i < 10; i++) {
        engines.endpoint(engine, acme, "http://127.0.0.1:9/hook");
      }
      for (int i = 0; i < 10; i++) {
        Engines.send(engine, acme, "{}");
      }
      untilGivenBack(engines, engine);
      long before = leases(engine);
      engines.await("tried again", () -> leases(engine) >= before + 3);
      untilGivenBack(engines, engine);
      assertThat(leases(engine)).isLessThan(before + 30);
      assertThat(Engines.attempts(engine)).isZero();

      try (ServerSocket proxy = new ServerSocket(port, 50, InetAddress.getLoopbackAddress())) {
        Thread.ofVirtual().start(() -> answer(proxy));
        engines.await(
            "delivered",
            () ->
                Engines.deliveries(engine).stream()
                    .allMatch(row -> row.status() == DeliveryStatus.DELIVERED));
      }
      assertThat(Engines.deliveries(engine)).hasSize(100).allMatch(row -> row.attempts() == 1);
    }
  }

  private static void untilGivenBack(Engines engines, TestEngine engine) {
    engines.await(
        "given back",
        () ->
            Engines.deliveries(engine).stream()
                .allMatch(row -> row.status() == DeliveryStatus.PENDING));
  }

  private static long leases(TestEngine engine) {
    return Engines.number(engine, "SELECT SUM(lease_version) FROM deliveries");
  }

  private static void answer(ServerSocket proxy) {
    while (true) {
      try (Socket socket = proxy.accept()) {
        byte[] head = new byte[8_192];
        int read = socket.getInputStream().read(head);
        assertThat(new String(head, 0, read, StandardCharsets.US_ASCII))
            .startsWith("POST http://127.0.0.1:9/hook ");
        socket
            .getOutputStream()
            .write(
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
      } catch (IOException e) {
        if (proxy.isClosed()) {
          return;
        }
      }
    }
  }
}
