package dev.postrider.delivery.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.options.EgressProxyOptions;
import dev.postrider.options.Secret;
import dev.postrider.testkit.ClosedPort;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Attempts through a SOCKS5 proxy, and those that go past it. */
@Timeout(60)
class HttpSenderSocksTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  private final ScriptedServer target = ScriptedServer.answering(OK);
  private final SocksServer open = new SocksServer(null);
  private final SocksServer locked = new SocksServer("me:secret");

  HttpSenderSocksTest() throws Exception {}

  @AfterEach
  void close() throws Exception {
    target.close();
    open.close();
    locked.close();
  }

  private static SenderSettings through(
      SocksServer proxy, EgressProxyOptions.@Nullable Login login, String... past) {
    return through(proxy.port(), login, past);
  }

  private static SenderSettings through(
      int proxyPort, EgressProxyOptions.@Nullable Login login, String... past) {
    return SenderSettings.defaults(16)
        .withProxy(
            new EgressProxyOptions(
                EgressProxyOptions.Kind.SOCKS5, "127.0.0.1", proxyPort, Optional.ofNullable(login)),
            ProxyBypass.of(List.of(past)));
  }

  private String url(String host) {
    return "http://" + host + ":" + target.port() + "/hook";
  }

  private String asked() {
    return "127.0.0.1:" + target.port();
  }

  @Test
  void theProxyIsGivenTheVettedAddressAndKeptConnectionsAreUsedAgain() throws Exception {
    try (SenderRig rig = new SenderRig(through(open, null))) {
      assertThat(rig.answered(url("hook.test")).status()).isEqualTo(200);
      assertThat(rig.answered(url("hook.test")).status()).isEqualTo(200);
    }
    assertThat(target.nextRequest()).startsWith("POST /hook HTTP/1.1\r\nHost: hook.test:");
    assertThat(open.asked()).containsExactly(asked());
  }

  @Test
  void theLoginIsUsedAndAWrongOneIsOurMistake() throws Exception {
    try (SenderRig rig =
        new SenderRig(through(locked, new EgressProxyOptions.Login("me", new Secret("secret"))))) {
      assertThat(rig.answered(url("hook.test")).status()).isEqualTo(200);
    }
    for (EgressProxyOptions.Login wrong :
        new EgressProxyOptions.Login[] {
          null, new EgressProxyOptions.Login("me", new Secret("guess"))
        }) {
      try (SenderRig rig = new SenderRig(through(locked, wrong))) {
        assertThat(rig.post(url("hook.test")))
            .isInstanceOfSatisfying(
                HttpResult.ProxyUnavailable.class,
                away -> assertThat(away.detail()).contains("rejected the login", "egressProxy"));
      }
    }
    assertThat(locked.asked()).containsExactly(asked());
  }

  @Test
  void theGuardChecksTheAddressBeforeTheProxyGetsIt() throws Exception {
    try (SenderRig rig = new SenderRig(through(open, null), SenderRig::testNames, List.of())) {
      assertThat(rig.post(url("hook.test"))).isInstanceOf(HttpResult.Blocked.class);
      assertThat(rig.post("http://10.0.0.1/")).isInstanceOf(HttpResult.Blocked.class);
    }
    assertThat(open.asked()).isEmpty();
  }

  @Test
  void anUnreachableProxyIsNotTheTargetsFaultAndAnUnreachableTargetIs() throws Exception {
    try (SenderRig rig = new SenderRig(through(open, null))) {
      assertThat(rig.post("http://hook.test:" + ClosedPort.number() + "/hook"))
          .isInstanceOfSatisfying(
              HttpResult.NetworkError.class,
              error -> assertThat(error.detail()).contains("connection refused"));
    }
    try (SenderRig rig = new SenderRig(through(ClosedPort.number(), null))) {
      assertThat(rig.post(url("hook.test")))
          .isInstanceOfSatisfying(
              HttpResult.ProxyUnavailable.class, away -> assertThat(away.connected()).isFalse());
    }
  }

  @Test
  void someTargetsBypassTheProxyAndAreStillChecked() throws Exception {
    try (SenderRig rig =
        new SenderRig(through(open, null, "hook.test", ".in.test", "127.0.0.0/30"))) {
      for (String host : List.of("hook.test", "a.in.test", "b.a.in.test", "127.0.0.1")) {
        assertThat(rig.answered(url(host)).status()).as(host).isEqualTo(200);
      }
      assertThat(open.asked()).isEmpty();
      assertThat(rig.sender.idleConnections()).as("kept past the proxy").isPositive();
      for (String host : List.of("other.test", "a.hook.test", "in.test", "min.test")) {
        assertThat(rig.answered(url(host)).status()).as(host).isEqualTo(200);
      }
      assertThat(open.asked()).hasSize(4);
    }
    try (SenderRig rig =
        new SenderRig(
            through(open, null, "hook.test", "10.0.0.0/8"), SenderRig::testNames, List.of())) {
      assertThat(rig.post(url("hook.test"))).isInstanceOf(HttpResult.Blocked.class);
      assertThat(rig.post("http://10.0.0.1/")).isInstanceOf(HttpResult.Blocked.class);
    }
  }
}
