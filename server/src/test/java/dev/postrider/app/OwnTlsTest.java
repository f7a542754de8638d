package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.Config;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server's own TLS, from a certificate file and a key file. */
@Timeout(120)
class OwnTlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir Path folder;

  /** A self-signed certificate, made by the JDK's keytool. */
  private KeyStore selfSigned(String algorithm) throws Exception {
    Path store = folder.resolve("server.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                algorithm,
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD),
                "-dname",
                "CN=localhost",
                "-ext",
                "san=ip:127.0.0.1,dns:localhost",
                "-validity",
                "30")
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes());
    assertThat(keytool.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).as(said).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    Files.writeString(
        folder.resolve("cert.pem"), pem("CERTIFICATE", keys.getCertificate("server").getEncoded()));
    Files.writeString(
        folder.resolve("key.pem"),
        pem("PRIVATE KEY", keys.getKey("server", PASSWORD).getEncoded()));
    return keys;
  }

  private static String pem(String what, byte[] bytes) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(what, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes), what);
  }

  private Config config() {
    Map<String, String> settings = new HashMap<>();
    settings.put("POSTRIDER_DATA_DIR", folder.resolve("data").toString());
    settings.put("POSTRIDER_PORT", "0");
    settings.put("POSTRIDER_TLS_CERT_FILE", folder.resolve("cert.pem").toString());
    settings.put("POSTRIDER_TLS_KEY_FILE", folder.resolve("key.pem").toString());
    return Config.of(settings);
  }

  private static SSLContext trusting(KeyStore keys) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("server", keys.getCertificate("server"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private static HttpResponse<String> health(App app, HttpClient client)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create(app.url() + "/api/v1/health")).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"RSA", "EC"})
  void theServerSpeaksTlsWithItsOwnCertificate(String algorithm) throws Exception {
    KeyStore keys = selfSigned(algorithm);
    try (App app = App.open(config());
        HttpClient client = HttpClient.newBuilder().sslContext(trusting(keys)).build();
        HttpClient stranger = HttpClient.newHttpClient()) {
      app.start();

      HttpResponse<String> answer = health(app, client);

      assertThat(app.url()).startsWith("https://");
      assertThat(answer.statusCode()).isLessThan(300);
      assertThat(answer.sslSession().orElseThrow().getProtocol()).isIn("TLSv1.3", "TLSv1.2");
      assertThat(answer.sslSession().orElseThrow().getPeerCertificates())
          .containsExactly(keys.getCertificate("server"));
      assertThatThrownBy(() -> health(app, stranger))
          .as("the certificate is the server's own, which nobody else vouches for")
          .isInstanceOf(SSLHandshakeException.class);
    }
  }

  @Test
  void plainHttpIsNotAnsweredOnTheTlsPort() throws Exception {
    selfSigned("EC");
    try (App app = App.open(config());
        HttpClient plain = HttpClient.newHttpClient()) {
      app.start();
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + "/api/v1/health"))
              .build();
      assertThatThrownBy(() -> plain.send(request, HttpResponse.BodyHandlers.ofString()))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void filesThatAreNotWhatTheyShouldBeAreNamed() throws Exception {
    selfSigned("EC");
    Files.writeString(folder.resolve("key.pem"), "this is no key");
    assertThatThrownBy(() -> Serve.run(config(), new PrintStream(OutputStream.nullOutputStream())))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("POSTRIDER_TLS_KEY_FILE", "key.pem", "PEM");
    assertThat(folder.resolve("data")).as("nothing was opened before").doesNotExist();
  }

  /** The sender could not trust a certificate that only this server vouches for. */
  @Test
  void theWelcomeNamesNoEchoReceiverThatCouldNotBeReached() throws Exception {
    selfSigned("EC");
    try (App app = App.open(config())) {
      app.start();
      assertThat(Serve.welcome(app))
          .contains("curl -sS https://127.0.0.1:")
          .contains("https://example.com/hook")
          .doesNotContain("http://")
          .doesNotContain("/echo");
    }
  }
}
