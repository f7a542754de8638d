package dev.postrider.inbound.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.json.Json;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.GatewayFixture;
import dev.postrider.testkit.GatewayFixture.Answer;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/**
 * A subscription of AWS SNS from its confirmation to a delivery. AWS is played on loopback with a
 * certificate authority of the test's own; which hosts are believed is checked as always.
 */
@Timeout(180)
class SnsOnServerTest {
  private static final String PASSWORD = "changeit";
  private static final String TOPIC = "arn:aws:sns:eu-west-1:123456789012:orders";
  private static final String HOST = "https://sns.eu-west-1.amazonaws.com";
  private static final String CERTIFICATE = "/SimpleNotificationService-0123abcd.pem";
  private static final String CONFIRMATION = "/?Action=ConfirmSubscription&Token=t-1";

  @TempDir Path folder;
  private final Receiver aws = new Receiver();
  private final HttpClient client = HttpClient.newHttpClient();
  private final AtomicBoolean awsFails = new AtomicBoolean();
  private PrivateKey key;

  @BeforeEach
  void certify() throws Exception {
    keytool(
        "-genkeypair",
        "-alias",
        "ca",
        "-keystore",
        "ca.p12",
        "-dname",
        "CN=Test CA",
        "-ext",
        "bc:c");
    keytool(
        "-genkeypair", "-alias", "sns", "-keystore", "sns.p12", "-dname", "CN=sns.amazonaws.com");
    keytool("-certreq", "-alias", "sns", "-keystore", "sns.p12", "-file", "sns.csr");
    keytool(
        "-gencert",
        "-rfc",
        "-alias",
        "ca",
        "-keystore",
        "ca.p12",
        "-infile",
        "sns.csr",
        "-outfile",
        "sns.pem");
    key = (PrivateKey) load("sns.p12").getKey("sns", PASSWORD.toCharArray());
    String pem = Files.readString(folder.resolve("sns.pem"));
    aws.behave(
        request ->
            request.path().equals(CERTIFICATE)
                ? new Receiver.Answer(200, Map.of(), pem)
                : Receiver.Answer.of(awsFails.get() ? 500 : 200));
  }

  @AfterEach
  void close() {
    client.close();
    aws.close();
  }

  private TrustAnchor authority() throws Exception {
    X509Certificate root = (X509Certificate) load("ca.p12").getCertificate("ca");
    return new TrustAnchor(root, null);
  }

  /** AWS's host stands on loopback here. */
  private byte[] fetch(URI url) throws IOException {
    assertThat(url.toString()).startsWith(HOST + "/");
    URI local = URI.create(aws.url(url.toString().substring(HOST.length())));
    try {
      HttpResponse<byte[]> answer =
          client.send(
              HttpRequest.newBuilder(local).build(), HttpResponse.BodyHandlers.ofByteArray());
      if (answer.statusCode() != 200) {
        throw new IOException("answered " + answer.statusCode());
      }
      return answer.body();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private String signed(Map<String, String> message) throws Exception {
    Map<String, String> all = new LinkedHashMap<>(message);
    all.put("TopicArn", TOPIC);
    all.put("Timestamp", Instant.now().toString());
    List<String> names = new ArrayList<>(all.keySet());
    names.sort(null);
    StringBuilder text = new StringBuilder();
    names.forEach(name -> text.append(name).append('\n').append(all.get(name)).append('\n'));
    Signature signature = Signature.getInstance("SHA256withRSA");
    signature.initSign(key);
    signature.update(text.toString().getBytes(StandardCharsets.UTF_8));
    all.put("SignatureVersion", "2");
    all.put("Signature", Base64.getEncoder().encodeToString(signature.sign()));
    all.put("SigningCertURL", HOST + CERTIFICATE);
    return Json.write(all);
  }

  private static Map<String, String> confirmation(String url) {
    return Map.of(
        "Type", "SubscriptionConfirmation",
        "MessageId", "m-1",
        "Token", "t-1",
        "Message", "You have chosen to subscribe",
        "SubscribeURL", url);
  }

  private int confirmed() {
    return aws.requests(request -> request.path().equals(CONFIRMATION)).size();
  }

  @ParameterizedTest
  @EnumSource
  void aSubscriptionIsConfirmedAndItsNotificationsArrive(Databases.Kind kind) throws Exception {
    try (GatewayFixture gateway = new GatewayFixture(kind, folder.resolve("data"));
        Receiver handler = new Receiver()) {
      App app = gateway.start(this::fetch, Set.of(authority()), this::fetch);
      gateway.api(
          201,
          app,
          "POST",
          "/source",
          "{\"name\":\"orders\",\"verify\":\"aws-sns\",\"options\":{\"topics\":\""
              + TOPIC
              + "\"}}");
      gateway.api(
          201, app, "POST", "/app/orders/endpoint", "{\"url\":\"" + handler.url("/hook") + "\"}");
      String confirmation = signed(confirmation(HOST + CONFIRMATION));

      assertThat(sns(gateway, app, confirmation.replace("chosen", "been made")).status())
          .as("forged")
          .isEqualTo(401);
      assertThat(confirmed()).isZero();
      awsFails.set(true);
      Answer later = sns(gateway, app, confirmation);
      assertThat(later.status()).as("AWS does not answer: SNS tries again").isEqualTo(503);
      assertThat(later.header("retry-after")).isNotEmpty();
      awsFails.set(false);
      assertThat(sns(gateway, app, confirmation).status()).isEqualTo(200);
      assertThat(confirmed()).isEqualTo(2);
      sns(
          gateway,
          app,
          signed(confirmation("https://evil.example.com/?Action=ConfirmSubscription")));
      assertThat(aws.requests(request -> request.path().contains("Action"))).hasSize(2);
      assertThat(Engines.count(TestEngine.of(app.engine()), "messages"))
          .as("no confirmation is a message")
          .isLessThanOrEqualTo(1);

      Map<String, String> notification =
          Map.of("Type", "Notification", "MessageId", "m-2", "Subject", "s", "Message", "paid");
      Answer taken = sns(gateway, app, signed(notification));
      assertThat(taken.status()).isEqualTo(200);
      assertThat(sns(gateway, app, signed(notification)).text("/id"))
          .as("sent again by SNS")
          .isEqualTo(taken.text("/id"));
      Receiver.Request text = handler.await(1, request -> request.text().equals("paid")).getFirst();
      assertThat(text.header("content-type")).startsWith("text/plain");
      Map<String, String> json =
          Map.of(
              "Type", "Notification", "MessageId", "m-3", "Message", "{\"type\":\"order.paid\"}");
      String id = sns(gateway, app, signed(json), "X-Amz-Sns-Message-Id", "forged").text("/id");
      Receiver.Request order =
          handler
              .await(1, request -> request.text().equals("{\"type\":\"order.paid\"}"))
              .getFirst();
      assertThat(order.header("content-type")).isEqualTo("application/json");
      JsonNode stored =
          gateway.api(200, app, "GET", "/source/orders/received", "").json().at("/data/0");
      assertThat(stored.path("id").asString()).isEqualTo(id);
      assertThat(stored.path("eventType").asString()).isEqualTo("order.paid");
      assertThat(stored.at("/headers/x-amz-sns-message-id").asString())
          .as("only what is signed is believed")
          .isEqualTo("m-3");
      assertThat(stored.at("/headers/x-amz-sns-topic-arn").asString()).isEqualTo(TOPIC);
      assertThat(stored.at("/headers").has("x-amz-sns-subject")).isFalse();
      JsonNode first =
          gateway.api(200, app, "GET", "/source/orders/received", "").json().at("/data/1");
      assertThat(first.at("/headers/x-amz-sns-subject").asString()).isEqualTo("s");
      assertThat(first.path("eventType").asString()).isEqualTo("s");

      gateway.api(
          200,
          app,
          "PATCH",
          "/source/orders",
          "{\"options\":{\"topics\":\"" + TOPIC + "\",\"unwrap\":\"false\"}}");
      Map<String, String> wrapped =
          Map.of("Type", "Notification", "MessageId", "m-4", "Message", "{\"type\":\"kept\"}");
      sns(gateway, app, signed(wrapped));
      assertThat(handler.await(1, request -> request.text().contains("\"m-4\"")).getFirst().text())
          .contains("SignatureVersion");
      assertThat(
              gateway.api(200, app, "GET", "/source/orders/received", "").text("/data/0/eventType"))
          .isEqualTo("kept");
      assertThat(aws.requests(request -> request.path().equals(CERTIFICATE)))
          .as("fetched once")
          .hasSize(1);
    }
  }

  private static Answer sns(GatewayFixture gateway, App app, String body, String... headers) {
    List<String> all = new ArrayList<>(List.of("Content-Type", "text/plain; charset=UTF-8"));
    all.addAll(List.of(headers));
    return gateway.in(app, "orders", body, all.toArray(String[]::new));
  }

  private KeyStore load(String store) throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(folder.resolve(store))) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }

  private void keytool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(List.of("-storepass", PASSWORD, "-J-XX:TieredStopAtLevel=1"));
    if (arguments[0].equals("-genkeypair")) {
      command.addAll(List.of("-keyalg", "RSA", "-keysize", "2048", "-validity", "30"));
    }
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }
}
