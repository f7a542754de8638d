package dev.postrider.delivery.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.http.address.Target;
import dev.postrider.testkit.Signals;
import java.util.ArrayList;
import java.util.List;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionsTest {
  private static final TimeValue LONG = TimeValue.ofMinutes(10);

  @Test
  void moreIdleOnesThanAllowedAreClosedAfterAMoment() throws Exception {
    try (SenderRig rig = new SenderRig();
        ScriptedServer server = ScriptedServer.answering("HTTP/1.1 200 OK\r\n\r\n");
        Connections connections = connections(rig, 3)) {
      keep(connections, server, 5);

      Signals.poll(
          "they are closed",
          () -> {
            connections.evictIdle();
            return connections.idle() <= 3;
          });
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void asManyAsAllowedAreKept(int count) throws Exception {
    try (SenderRig rig = new SenderRig();
        ScriptedServer server = ScriptedServer.answering("HTTP/1.1 200 OK\r\n\r\n");
        Connections connections = connections(rig, 3)) {
      keep(connections, server, count);

      long start = System.nanoTime();
      Signals.poll(
          "the moment is over",
          () -> {
            connections.evictIdle();
            return System.nanoTime() - start > 1_500_000_000L;
          });
      assertThat(connections.idle()).isEqualTo(count);
    }
  }

  /**
   * The check is a blocking read of a millisecond. The connection that its endpoint has closed
   * would fail it, so its state shows whether there was one.
   */
  @Test
  void aConnectionThatWasIdleForASecondIsNotChecked() throws Exception {
    try (SenderRig rig = new SenderRig();
        ScriptedServer server = new ScriptedServer(_ -> {});
        Connections connections = connections(rig, 3)) {
      keep(connections, server, 1);
      long start = System.nanoTime();
      Signals.poll("it is idle", () -> System.nanoTime() - start > 1_500_000_000L);

      ConnectionEndpoint endpoint = connections.lease(SenderRig.target(server.url()));
      assertThat(endpoint.isConnected()).isTrue();
      connections.discard(endpoint);
    }
  }

  private static Connections connections(SenderRig rig, int maxIdle) {
    return new Connections(SenderSettings.defaults(64), rig.guard, rig.lookup, maxIdle);
  }

  private static void keep(Connections connections, ScriptedServer server, int count)
      throws Exception {
    Target target = SenderRig.target(server.url());
    List<ConnectionEndpoint> open = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ConnectionEndpoint endpoint = connections.lease(target);
      connections.open(endpoint, target);
      open.add(endpoint);
    }
    open.forEach(endpoint -> connections.keep(endpoint, LONG));
    assertThat(connections.idle()).isEqualTo(count);
  }
}
