package dev.postrider.inbound.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.inbound.Cases;
import dev.postrider.inbound.Vectors;
import dev.postrider.inbound.request.Headers;
import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.verify.Handshake.Stage;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.json.Json;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HandshakeTest {
  private static final List<SourceSecret> SECRETS = List.of(SourceSecret.of(Cases.SECRET));

  @Test
  void slack() {
    Handshake slack = only("slack", Map.of());
    assertThat(slack.stage()).isEqualTo(Stage.AFTER_VERIFICATION);
    assertThat(answer(slack, post("{\"type\":\"url_verification\",\"challenge\":\"c-1\"}")))
        .isEqualTo(HandshakeAnswer.text("c-1"));
    assertThat(answer(slack, post("{\"type\":\"event_callback\",\"challenge\":\"c-1\"}"))).isNull();
    assertThat(answer(slack, post("{\"type\":\"url_verification\"}"))).isNull();
  }

  @Test
  void twitter() {
    Handshake twitter = only("twitter", Map.of());
    assertThat(twitter.stage()).isEqualTo(Stage.BEFORE_VERIFICATION);
    // base64.b64encode(hmac.new(S, b"token-1", "sha256").digest())
    assertThat(answer(twitter, get("crc_token=token-1")))
        .isEqualTo(
            HandshakeAnswer.json(
                "{\"response_token\":\"sha256=CJU9enxwGNI4QNqhR8SXuQ+wpJpk0wyyrBi/jfXgC6M=\"}"));
    assertThat(answer(twitter, get("x=1"))).isNull();
    assertThat(twitter.answer(get("crc_token=token-1"), List.of())).isNull();
  }

  @Test
  void meta() {
    Handshake meta = only("meta", Map.of("verify_token", "v-1"));
    String query = "hub.mode=subscribe&hub.challenge=c%201&hub.verify_token=";
    assertThat(answer(meta, get(query + "v-1"))).isEqualTo(HandshakeAnswer.text("c 1"));
    assertThat(answer(meta, get(query + "v-2"))).isNull();
    assertThat(answer(only("whatsapp", Map.of()), get(query))).isNull();
  }

  @Test
  void sns() {
    Handshake sns = only("aws-sns", Map.of("topics", "*"));
    assertThat(sns.stage()).isEqualTo(Stage.AFTER_VERIFICATION);
    HandshakeAnswer answer = answer(sns, post(Vectors.get("confirmation")));
    assertThat(answer.fetch())
        .hasHost("sns.eu-west-1.amazonaws.com")
        .hasParameter("Action", "ConfirmSubscription")
        .hasParameter("Token", "t-1");
    assertThat(answer(sns, post("{\"Type\":\"UnsubscribeConfirmation\"}")).fetch()).isNull();
    assertThat(answer(sns, post(Vectors.get("notificationV2")))).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://evil.example/?Action=ConfirmSubscription",
        "http://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription",
        "https://sns.eu-west-1.amazonaws.com/?Action=DeleteTopic",
        "https://sns.eu-west-1.amazonaws.com.evil.example/?Action=ConfirmSubscription",
        "https://user@sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription"
      })
  void snsConfirmsNowhereElse(String url) {
    String body = "{\"Type\":\"SubscriptionConfirmation\",\"SubscribeURL\":\"" + url + "\"}";
    assertThat(answer(only("aws-sns", Map.of("topics", "*")), post(body))).isNull();
  }

  @Test
  void graph() {
    Handshake graph = only("microsoft-graph", Map.of());
    InboundRequest asked = request("POST", "validationToken=Validation%3A+a", "");
    assertThat(answer(graph, asked)).isEqualTo(HandshakeAnswer.text("Validation: a"));
    assertThat(answer(graph, request("POST", "validationToken=a", "{}"))).isNull();
    String tooLong = "validationToken=" + "a".repeat(Handshakes.MAX_ECHO + 1);
    assertThat(answer(graph, request("POST", tooLong, ""))).isNull();
  }

  @Test
  void zoom() {
    Handshake zoom = only("zoom", Map.of());
    assertThat(zoom.stage()).isEqualTo(Stage.AFTER_VERIFICATION);
    // hmac.new(S, b"qgg8vlvZRS6UYooatFL8Aw", "sha256").hexdigest()
    assertThat(
            answer(
                zoom,
                post(
                    "{\"payload\":{\"plainToken\":\"qgg8vlvZRS6UYooatFL8Aw\"},\"event\":\"endpoint.url_validation\"}")))
        .isEqualTo(
            HandshakeAnswer.json(
                "{\"plainToken\":\"qgg8vlvZRS6UYooatFL8Aw\",\"encryptedToken\":\"3cb7f0474d741e9faf55dc7fd46defadb6c9222b0d10fbf43ca528034c69bf81\"}"));
    assertThat(answer(zoom, post("{\"event\":\"meeting.started\"}"))).isNull();
  }

  @Test
  void dropbox() {
    Handshake dropbox = only("dropbox", Map.of());
    assertThat(dropbox.stage()).isEqualTo(Stage.BEFORE_VERIFICATION);
    HandshakeAnswer answer = answer(dropbox, get("challenge=ZXhhbXBsZQ-1_2"));
    assertThat(answer.body()).isEqualTo("ZXhhbXBsZQ-1_2");
    assertThat(answer.headers())
        .containsEntry("Content-Type", "text/plain; charset=utf-8")
        .containsEntry("X-Content-Type-Options", "nosniff");
    assertThat(answer(dropbox, get("x=1"))).isNull();
    assertThat(answer(dropbox, request("POST", "challenge=a", ""))).isNull();
  }

  @Test
  void aSourceDescribesAnEchoOfAChallenge() {
    Handshake query = only("bearer", Map.of("challenge_query", "hub.challenge"));
    assertThat(answer(query, get("hub.challenge=a-1"))).isEqualTo(HandshakeAnswer.text("a-1"));
    assertThat(
            answer(
                only(
                    "bearer",
                    Map.of("challenge_query", "hub.challenge", "challenge_response", "json")),
                get("hub.challenge=a-1")))
        .isEqualTo(HandshakeAnswer.json("{\"hub.challenge\":\"a-1\"}"));

    Handshake field = only("bearer", Map.of("challenge_field", "data.challenge"));
    assertThat(field.stage()).isEqualTo(Stage.BEFORE_VERIFICATION);
    assertThat(answer(field, post("{\"data\":{\"challenge\":\"a-1\"}}")))
        .isEqualTo(HandshakeAnswer.json("{\"challenge\":\"a-1\"}"));
    assertThat(answer(field, post("{\"challenge\":\"a-1\"}"))).as("another field").isNull();
    assertThat(answer(field, post("no JSON"))).isNull();
    String large =
        "{\"data\":{\"challenge\":\"a\"},\"more\":\"%s\"}"
            .formatted("x".repeat(Handshakes.MAX_CHALLENGE_BODY));
    assertThat(answer(field, post(large))).as("an event").isNull();
    assertThat(
            answer(
                only("none", Map.of("challenge_field", "c", "challenge_response", "text")),
                post("{\"c\":\"a-1\"}")))
        .isEqualTo(HandshakeAnswer.text("a-1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "<script>alert(1)</script>",
        "a b",
        "a\"b",
        "a&b",
        "a%0d%0aSet-Cookie",
        "größer"
      })
  void onlyPlainTokensAreEchoed(String challenge) {
    String query = "challenge=" + URLEncoder.encode(challenge, StandardCharsets.UTF_8);
    assertThat(answer(only("dropbox", Map.of()), get(query))).isNull();
    assertThat(answer(only("none", Map.of("challenge_query", "challenge")), get(query))).isNull();
    String body = Json.write(Map.of("challenge", challenge));
    assertThat(answer(only("none", Map.of("challenge_field", "challenge")), post(body))).isNull();
  }

  @Test
  void aLongChallengeIsNotEchoed() {
    Handshake handshake = only("none", Map.of("challenge_query", "c"));
    assertThat(answer(handshake, get("c=" + "a".repeat(1_024)))).isNotNull();
    assertThat(answer(handshake, get("c=" + "a".repeat(1_025)))).isNull();
  }

  @Test
  void theOptionsOfAnEchoAreChecked() {
    assertThatThrownBy(() -> Handshake.of("none", Map.of("challenge_query", "a b")))
        .hasMessageContaining("option challenge_query: must be a name such as");
    assertThatThrownBy(() -> Handshake.of("none", Map.of("challenge_field", "a..b")))
        .hasMessageContaining("option challenge_field: must be a name such as");
    assertThatThrownBy(() -> Handshake.of("none", Map.of("challenge_response", "json")))
        .hasMessageContaining("needs challenge_query or challenge_field");
    assertThatThrownBy(
            () -> Handshake.of("none", Map.of("challenge_field", "a", "challenge_response", "xml")))
        .hasMessageContaining("must be one of text, json");
  }

  @Test
  void asanaGivesASecretOnlyOnce() {
    Handshake asana = only("asana", Map.of());
    InboundRequest asked = with("POST", Map.of("X-Hook-Secret", List.of("s-1")));
    HandshakeAnswer answer = asana.answer(asked, List.of());
    assertThat(answer.headers()).containsEntry("X-Hook-Secret", "s-1");
    assertThat(answer.learned()).isEqualTo(SourceSecret.of("s-1"));
    assertThat(answer(asana, asked)).as("a stranger cannot replace it").isNull();
  }

  @Test
  void discord() {
    Handshake discord = only("discord", Map.of());
    assertThat(discord.stage()).isEqualTo(Stage.AFTER_VERIFICATION);
    assertThat(answer(discord, post("{\"type\":1}")))
        .isEqualTo(HandshakeAnswer.json("{\"type\":1}"));
    assertThat(answer(discord, post("{\"type\":2}"))).isNull();
    assertThat(answer(discord, post("{\"type\":0}")).status()).isEqualTo(204);
    assertThat(answer(discord, post("{\"type\":1,\"event\":{\"type\":\"ENTITLEMENT_CREATE\"}}")))
        .isNull();
  }

  @Test
  void cloudEventsAgreesOnlyWithNamedOriginsWhereSomeAreNamed() {
    assertThat(Handshake.of("none", Map.of())).isEmpty();
    InboundRequest stranger =
        with("OPTIONS", Map.of("WebHook-Request-Origin", List.of("c.example")));
    assertThat(answer(only("hmac", Map.of()), stranger).headers())
        .containsEntry("WebHook-Allowed-Origin", "c.example")
        .doesNotContainKey("WebHook-Allowed-Rate");
    assertThat(
            answer(
                only("hmac", Map.of()),
                with("OPTIONS", Map.of("WebHook-Request-Origin", List.of("a b\u0001")))))
        .isNull();
    Handshake named =
        only("hmac", Map.of("allowed_origins", "a.example, b.example", "allowed_rate", "120"));
    InboundRequest asked = with("OPTIONS", Map.of("WebHook-Request-Origin", List.of("b.example")));
    assertThat(answer(named, asked).headers())
        .containsEntry("WebHook-Allowed-Origin", "b.example")
        .containsEntry("WebHook-Allowed-Rate", "120");
    assertThat(
            answer(named, with("OPTIONS", Map.of("WebHook-Request-Origin", List.of("c.example")))))
        .isNull();
    assertThat(answer(named, with("POST", Map.of("WebHook-Request-Origin", List.of("b.example")))))
        .isNull();
    assertThat(answer(only("none", Map.of("allowed_origins", "*")), asked).headers())
        .containsEntry("WebHook-Allowed-Origin", "*")
        .doesNotContainKey("WebHook-Allowed-Rate");
  }

  private static Handshake only(String scheme, Map<String, String> options) {
    List<Handshake> all = Handshake.of(scheme, options);
    // that of CloudEvents comes behind a scheme's own
    assertThat(all).hasSizeBetween(1, 2);
    return all.getFirst();
  }

  private static HandshakeAnswer answer(Handshake handshake, InboundRequest request) {
    return handshake.answer(request, SECRETS);
  }

  private static InboundRequest post(String body) {
    return request("POST", "", body);
  }

  private static InboundRequest get(String query) {
    return request("GET", query, "");
  }

  private static InboundRequest request(String method, String query, String body) {
    String url = "https://example.com/in/a" + (query.isEmpty() ? "" : "?" + query);
    return new InboundRequest(
        method, url, Headers.of(Map.of()), body.getBytes(StandardCharsets.UTF_8), "10.0.0.1");
  }

  private static InboundRequest with(String method, Map<String, List<String>> headers) {
    return new InboundRequest(
        method, "https://example.com/in/a", Headers.of(headers), new byte[0], "10.0.0.1");
  }
}
