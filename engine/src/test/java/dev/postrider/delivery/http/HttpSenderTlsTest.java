package dev.postrider.delivery.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.http.address.Target;
import dev.postrider.net.Cidr;
import dev.postrider.options.EgressProxyOptions;
import dev.postrider.options.Secret;
import dev.postrider.testkit.ClosedPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpSenderTlsTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  private TestCertificates certificates;
  private SSLContext good;
  private SenderRig rig;

  @BeforeAll
  void makeCertificates(@TempDir Path folder) throws Exception {
    certificates = new TestCertificates(folder);
    good = certificates.issued("dns:good.test,ip:127.0.0.1", "-1d", 20);
    rig = new SenderRig(SenderSettings.defaults(16).withTrust(certificates.client()));
  }

  @AfterAll
  void stop() {
    rig.close();
  }

  @Test
  void aTrustedCertificateForTheHostIsAccepted() throws Exception {
    try (ScriptedServer server = server(good)) {
      assertThat(rig.answered(url("good.test", server)).status()).isEqualTo(200);
      assertThat(rig.answered(url("good.test", server)).status()).isEqualTo(200);
      assertThat(server.connections()).isEqualTo(1);
      assertThat(rig.answered(url("127.0.0.1", server)).status()).isEqualTo(200);
    }
  }

  @Test
  void allowedNetworksDoNotChangeTheNameThatIsVerified() throws Exception {
    List<Cidr> networks = SenderRig.LOOPBACK;
    try (ScriptedServer server = server(good)) {
      Target target = SenderRig.target(url("good.test", server)).ownedBy("owner", networks);
      assertThat(rig.start(target, SenderRig.LONG).get(60, TimeUnit.SECONDS))
          .isInstanceOf(HttpResult.Answered.class);
      Target other = SenderRig.target(url("other.test", server)).ownedBy("owner", networks);
      assertThat(rig.start(other, SenderRig.LONG).get(60, TimeUnit.SECONDS))
          .isInstanceOf(HttpResult.TlsError.class);
    }
  }

  @Test
  void theNameOfTheUrlIsSentNotTheAddress() throws Exception {
    BlockingQueue<List<SNIServerName>> asked = new LinkedBlockingQueue<>();
    try (ScriptedServer server =
        new ScriptedServer(
            serverSocket(good),
            connection -> {
              SSLSocket socket = (SSLSocket) connection.socket;
              socket.startHandshake();
              asked.add(((ExtendedSSLSession) socket.getSession()).getRequestedServerNames());
              connection.readRequest();
              connection.write(OK);
            })) {
      rig.answered(url("good.test", server));

      assertThat(asked.poll(60, TimeUnit.SECONDS))
          .hasToString("[type=host_name (0), value=good.test]");
      assertThat(server.nextRequest()).contains("Host: good.test:" + server.port() + "\r\n");
    }
  }

  @Test
  void aCertificateForAnotherHostIsRefused() throws Exception {
    try (ScriptedServer server = server(good)) {
      assertTlsError(url("other.test", server), server);
    }
  }

  @Test
  void anExpiredCertificateIsRefused() throws Exception {
    try (ScriptedServer server = server(certificates.issued("dns:good.test", "-40d", 10))) {
      assertTlsError(url("good.test", server), server);
    }
  }

  @Test
  void aCertificateSignedByItselfIsRefused() throws Exception {
    try (ScriptedServer server = server(certificates.selfSigned("dns:good.test"))) {
      assertTlsError(url("good.test", server), server);
    }
  }

  @Test
  void theJdksTrustDoesNotHoldForATestAuthority() throws Exception {
    try (SenderRig plain = new SenderRig();
        ScriptedServer server = server(good)) {
      assertThat(plain.post(url("good.test", server))).isInstanceOf(HttpResult.TlsError.class);
    }
  }

  @Test
  void aServerWithoutTlsIsATlsError() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            connection -> {
              connection.write("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n");
              connection.hang();
            })) {
      assertThat(rig.post(url("good.test", server))).isInstanceOf(HttpResult.TlsError.class);
    }
  }

  @Test
  void plainRequestsGoThroughTheProxyWithTheWholeUrl() throws Exception {
    try (ScriptedServer proxy = ScriptedServer.answering(OK);
        SenderRig proxied = proxied(proxy)) {
      assertThat(proxied.answered("http://hook.test:8080/a?b").status()).isEqualTo(200);
      assertThat(proxy.nextRequest())
          .startsWith("POST http://hook.test:8080/a?b HTTP/1.1\r\nHost: hook.test:8080\r\n")
          .contains("\r\nProxy-Authorization: Basic bWU6c2VjcmV0\r\n");
    }
  }

  @Test
  void tlsGoesThroughATunnelOfTheProxy() throws Exception {
    try (ScriptedServer server = server(good);
        ScriptedServer proxy = new ScriptedServer(HttpSenderTlsTest::tunnel);
        SenderRig proxied = proxied(proxy)) {
      assertThat(proxied.answered(url("good.test", server)).status()).isEqualTo(200);
      assertThat(proxied.answered(url("good.test", server)).status()).isEqualTo(200);

      assertThat(proxy.nextRequest())
          .as("the vetted address: the proxy shall not look the name up again")
          .startsWith("CONNECT 127.0.0.1:" + server.port() + " HTTP/1.1\r\n")
          .contains("\r\nProxy-Authorization: Basic bWU6c2VjcmV0\r\n");
      assertThat(proxy.connections()).isEqualTo(1);
      assertThat(server.nextRequest())
          .startsWith("POST /hook HTTP/1.1\r\n")
          .doesNotContain("Proxy-Authorization");
      assertThat(proxied.post(url("other.test", server))).isInstanceOf(HttpResult.TlsError.class);
    }
  }

  @Test
  void aProxyThatRefusesTheTunnelIsANetworkError() throws Exception {
    try (ScriptedServer proxy =
            ScriptedServer.answering("HTTP/1.1 503 No\r\nContent-Length: 3\r\n\r\nno!");
        SenderRig proxied = proxied(proxy)) {
      HttpResult outcome = proxied.post("https://good.test/");

      assertThat(outcome).isInstanceOf(HttpResult.NetworkError.class);
      assertThat(((HttpResult.NetworkError) outcome).detail()).contains("503");
      assertThat(proxied.sender.leasedConnections()).isZero();
    }
  }

  /** The endpoint was never asked, so it must not be blamed. */
  @Test
  void aProxyThatDoesNotLetUsInIsNotTheTargetsFault() throws Exception {
    try (ScriptedServer proxy =
            ScriptedServer.answering("HTTP/1.1 407 No\r\nContent-Length: 3\r\n\r\nno!");
        SenderRig proxied = proxied(proxy)) {
      for (String url : new String[] {"https://good.test/", "http://hook.test/"}) {
        assertThat(proxied.post(url))
            .isInstanceOfSatisfying(
                HttpResult.ProxyUnavailable.class,
                away -> assertThat(away.detail()).contains("407", "egressProxy"));
      }
      assertThat(proxied.sender.leasedConnections()).isZero();
    }
  }

  @Test
  void anUnreachableProxyIsNotTheTargetsFault() throws Exception {
    try (SenderRig proxied = new SenderRig(proxySettings(ClosedPort.number()))) {
      for (String url : new String[] {"https://good.test/", "http://hook.test/"}) {
        assertThat(proxied.post(url))
            .isInstanceOfSatisfying(
                HttpResult.ProxyUnavailable.class,
                away -> assertThat(away.detail()).contains("is unreachable"));
      }
    }
  }

  @Test
  void aTunnelThroughSocksIsCheckedForTheNameOfTheUrl() throws Exception {
    try (ScriptedServer server = server(good);
        SocksServer socks = new SocksServer(null);
        SenderRig proxied =
            new SenderRig(
                SenderSettings.defaults(16)
                    .withTrust(certificates.client())
                    .withProxy(
                        new EgressProxyOptions(
                            EgressProxyOptions.Kind.SOCKS5,
                            "127.0.0.1",
                            socks.port(),
                            Optional.empty()),
                        ProxyBypass.NONE))) {
      assertThat(proxied.answered(url("good.test", server)).status()).isEqualTo(200);
      assertThat(proxied.post(url("other.test", server))).isInstanceOf(HttpResult.TlsError.class);
      assertThat(socks.asked()).hasSize(2).containsOnly("127.0.0.1:" + server.port());
    }
  }

  @Test
  void anIpv6AddressIsBracketedForTheProxy() throws Exception {
    try (ScriptedServer proxy =
            ScriptedServer.answering("HTTP/1.1 503 No\r\nContent-Length: 3\r\n\r\nno!");
        SenderRig proxied = proxied(proxy)) {
      proxied.post("https://[2606:4700::1111]:8443/");
      assertThat(proxy.nextRequest())
          .startsWith("CONNECT [2606:4700:0:0:0:0:0:1111]:8443 HTTP/1.1\r\n")
          .contains("\r\nHost: [2606:4700:0:0:0:0:0:1111]:8443\r\n");
    }
  }

  @Test
  void theGuardChecksTheAddressBeforeTheProxyGetsTheName() throws Exception {
    try (ScriptedServer proxy = ScriptedServer.answering(OK);
        SenderRig proxied =
            new SenderRig(proxySettings(proxy.port()), SenderRig::testNames, List.of())) {
      assertThat(proxied.post("http://inner.test/")).isInstanceOf(HttpResult.Blocked.class);
      assertThat(proxied.post("https://10.0.0.1/")).isInstanceOf(HttpResult.Blocked.class);
      assertThat(proxy.connections()).isZero();
    }
  }

  private SenderRig proxied(ScriptedServer proxy) throws Exception {
    return new SenderRig(proxySettings(proxy.port()));
  }

  private SenderSettings proxySettings(int proxyPort) throws Exception {
    return SenderSettings.defaults(16)
        .withTrust(certificates.client())
        .withProxy(
            new EgressProxyOptions(
                EgressProxyOptions.Kind.HTTP,
                "127.0.0.1",
                proxyPort,
                Optional.of(new EgressProxyOptions.Login("me", new Secret("secret")))),
            ProxyBypass.NONE);
  }

  private void assertTlsError(String url, ScriptedServer server) throws Exception {
    HttpResult outcome = rig.post(url);

    assertThat(outcome).isInstanceOf(HttpResult.TlsError.class);
    assertThat(((HttpResult.TlsError) outcome).detail()).isNotBlank();
    assertThat(server.hasRequest()).isFalse();
  }

  private static String url(String host, ScriptedServer server) {
    return "https://" + host + ":" + server.port() + "/hook";
  }

  private static ScriptedServer server(SSLContext context) throws IOException {
    return new ScriptedServer(
        serverSocket(context),
        connection -> {
          while (connection.readRequest()) {
            connection.write(OK);
          }
        });
  }

  private static ServerSocket serverSocket(SSLContext context) throws IOException {
    SSLServerSocket socket =
        (SSLServerSocket)
            context
                .getServerSocketFactory()
                .createServerSocket(0, 64, InetAddress.getLoopbackAddress());
    return socket;
  }

  private static void tunnel(ScriptedServer.Connection connection) throws Exception {
    connection.readRequest();
    String request = connection.lastRequest();
    int port =
        Integer.parseInt(request.substring(request.indexOf(':') + 1, request.indexOf(" HTTP")));
    try (Socket onward = new Socket(InetAddress.getLoopbackAddress(), port)) {
      connection.write("HTTP/1.1 200 Connected\r\n\r\n");
      Thread back = Thread.ofVirtual().start(() -> copy(onward, connection.socket));
      copy(connection.socket, onward);
      back.join();
    }
  }

  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.close();
    } catch (IOException _) {
      // One side is gone.
    }
  }
}
