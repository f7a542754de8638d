package dev.postrider.delivery.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.http.address.Target;
import dev.postrider.net.Cidr;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The networks that an endpoint allows forbid more than the address guard, and never less. */
class AllowedNetworksTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  private static Target within(String url, String... networks) {
    return SenderRig.target(url).ownedBy("owner", Stream.of(networks).map(Cidr::parse).toList());
  }

  private static HttpResult send(SenderRig rig, Target target) throws Exception {
    return rig.start(target, SenderRig.LONG).get(60, TimeUnit.SECONDS);
  }

  @Test
  void anAddressInOneOfThemIsConnectedTo() throws Exception {
    try (SenderRig rig = new SenderRig();
        ScriptedServer server = ScriptedServer.answering(OK)) {
      Target target =
          within("http://any.test:" + server.port() + "/", "192.0.2.0/24", "127.0.0.0/8");
      for (int i = 0; i < 3; i++) {
        assertThat(send(rig, target)).isInstanceOf(HttpResult.Answered.class);
      }
      assertThat(server.connections()).as("kept").isEqualTo(1);
    }
  }

  @Test
  void anyOtherAddressIsRefusedWithoutBeingNamed() throws Exception {
    try (SenderRig rig =
            new SenderRig(
                SenderSettings.defaults(8),
                _ ->
                    new InetAddress[] {
                      InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("127.0.0.2")
                    },
                SenderRig.LOOPBACK);
        ScriptedServer server = ScriptedServer.answering(OK)) {
      assertThat(send(rig, within("http://two.test:" + server.port() + "/", "127.0.0.1")))
          .isEqualTo(
              new HttpResult.Blocked(
                  "two.test has an address that is not in allowedIps of the endpoint"));
      assertThat(send(rig, within(server.url(), "192.0.2.0/24")))
          .isEqualTo(new HttpResult.Blocked("127.0.0.1 is not in allowedIps of the endpoint"));
      assertThat(server.connections()).isZero();
    }
  }

  @Test
  void aConnectionOfAnotherEndpointIsNotUsed() throws Exception {
    try (SenderRig rig = new SenderRig();
        ScriptedServer server = ScriptedServer.answering(OK)) {
      String url = "http://any.test:" + server.port() + "/";
      rig.answered(url);
      assertThat(rig.sender.idleConnections()).isEqualTo(1);
      assertThat(send(rig, within(url, "192.0.2.0/24"))).isInstanceOf(HttpResult.Blocked.class);
      assertThat(send(rig, within(url, "127.0.0.0/8"))).isInstanceOf(HttpResult.Answered.class);
      assertThat(send(rig, within(url, "127.0.0.1"))).isInstanceOf(HttpResult.Answered.class);
      rig.answered(url);
      assertThat(server.connections()).as("one for each list").isEqualTo(3);
    }
  }

  @Test
  void forbiddenNetworksStayForbidden() throws Exception {
    try (SenderRig rig =
            new SenderRig(SenderSettings.defaults(8), SenderRig::testNames, List.of());
        ScriptedServer server = ScriptedServer.answering(OK)) {
      assertThat(send(rig, within(server.url(), "127.0.0.0/8")))
          .isInstanceOfSatisfying(
              HttpResult.Blocked.class,
              blocked -> assertThat(blocked.detail()).contains("is not a public address"));
      assertThat(server.connections()).isZero();
    }
  }
}
