package dev.postrider.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.options.DeliveryOptions.SignatureHeaders;
import dev.postrider.signature.SignatureScheme.None;
import dev.postrider.signature.SignatureScheme.Sha256Hex;
import dev.postrider.signature.SignatureScheme.Standard;
import dev.postrider.time.SystemTime;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SignatureSchemeTest {
  private static final String BODY = "Hello, World!";
  private static final Sha256Hex GHASI =
      new Sha256Hex(
          "X-Ghasi-Signature", "X-Ghasi-Event", "X-Ghasi-Delivery-Id", "X-Ghasi-Timestamp");
  private static final Sha256Hex OBSERVATORY =
      new Sha256Hex("X-Observatory-Signature", null, null, null);

  private final HmacKey key = HmacKey.parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  private final Signable signable = signableAt(1_614_265_330L);

  @Test
  void standardHeadersInEachSpelling() {
    assertThat(names(new Standard(SignatureHeaders.WEBHOOK)))
        .containsExactly("webhook-id", "webhook-timestamp", "webhook-signature");
    assertThat(names(new Standard(SignatureHeaders.SVIX)))
        .containsExactly("svix-id", "svix-timestamp", "svix-signature");
    assertThat(names(new Standard(SignatureHeaders.BOTH)))
        .containsExactly(
            "webhook-id",
            "webhook-timestamp",
            "webhook-signature",
            "svix-id",
            "svix-timestamp",
            "svix-signature");
    assertThat(names(SignatureScheme.byDefault())).first().isEqualTo("webhook-id");
  }

  @Test
  void standardHeadersSatisfyTheReceiversLibraries() throws Exception {
    Signable fresh = signableAt(new SystemTime().nowMs() / 1000);
    var standard = new com.standardwebhooks.Webhook(key.text());
    var svix = new com.svix.Webhook(key.text());
    Map<String, List<String>> both =
        asMap(new Standard(SignatureHeaders.BOTH).headers(List.of(key), fresh));
    Map<String, List<String>> spelled =
        asMap(new Standard(SignatureHeaders.SVIX).headers(List.of(key), fresh));

    assertThatCode(() -> standard.verify(BODY, both)).doesNotThrowAnyException();
    assertThatCode(() -> svix.verify(BODY, both)).doesNotThrowAnyException();
    assertThatCode(() -> svix.verify(BODY, spelled)).doesNotThrowAnyException();
  }

  @Test
  void sha256SignsTheBodyAndNamesTheRest() {
    // python3: hmac.new(b"It's a Secret to Everybody", b"Hello, World!",
    // hashlib.sha256).hexdigest()
    HmacKey raw = HmacKey.raw("It's a Secret to Everybody");
    assertThat(GHASI.headers(List.of(raw), signable))
        .containsExactly(
            new SignatureHeader(
                "X-Ghasi-Signature",
                "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"),
            new SignatureHeader("X-Ghasi-Event", "invoice.paid"),
            new SignatureHeader("X-Ghasi-Delivery-Id", "dlv_1"),
            new SignatureHeader("X-Ghasi-Timestamp", "1614265330"));
    assertThat(OBSERVATORY.headers(List.of(raw), signable)).hasSize(1);
  }

  @Test
  void sha256TakesTheTextOfAStandardSecretAsItIsShown() {
    // python3: hmac.new(b"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b"Hello, World!",
    // hashlib.sha256).hexdigest()
    assertThat(OBSERVATORY.headers(List.of(key), signable).getFirst().value())
        .isEqualTo("sha256=7ad4fd21c74c164320d9ac01f24d0797c8be594bf356ab332fdd61a03b78cec0");
    assertThat(OBSERVATORY.headers(List.of(OBSERVATORY.parseKey(key.text())), signable))
        .isEqualTo(OBSERVATORY.headers(List.of(key), signable));
  }

  @Test
  void sha256SignsWithTheNewestSharedSecretAndNeedsOne() {
    Ed25519Key pair = Ed25519Key.generate(new SecureRandom());
    HmacKey old = HmacKey.raw("the secret before");
    assertThat(OBSERVATORY.headers(List.of(pair, key, old), signable))
        .isEqualTo(OBSERVATORY.headers(List.of(key), signable));
    assertThatThrownBy(() -> OBSERVATORY.headers(List.of(pair), signable))
        .hasMessageStartingWith("secret:");
  }

  @Test
  void theSchemeNoneSendsNoHeaders() {
    assertThat(new None().headers(List.of(key), signable)).isEmpty();
    assertThat(new None().headers(List.of(), signable)).isEmpty();
  }

  @Test
  void eachSchemeRoundTripsThroughItsText() {
    for (SignatureScheme scheme :
        List.of(
            new Standard(SignatureHeaders.WEBHOOK),
            new Standard(SignatureHeaders.SVIX),
            new Standard(SignatureHeaders.BOTH),
            GHASI,
            OBSERVATORY,
            new None())) {
      assertThat(SignatureScheme.decode(scheme.encode())).isEqualTo(scheme);
    }
    assertThat(SignatureScheme.decode("{\"type\":\"standard\"}"))
        .isEqualTo(SignatureScheme.byDefault());
    assertThat(OBSERVATORY.encode())
        .isEqualTo("{\"type\":\"sha256\",\"header\":\"X-Observatory-Signature\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|type:",
        "{\"type\":7}|type:",
        "{\"type\":\"md5\"}|type:",
        "{\"type\":\"standard\",\"headers\":\"x\"}|headers:",
        "{\"type\":\"standard\",\"header\":\"X-A\"}|header:",
        "{\"type\":\"none\",\"header\":\"X-A\"}|header:",
        "{\"type\":\"sha256\"}|header:",
        "{\"type\":\"sha256\",\"header\":\"X A\"}|header:",
        "{\"type\":\"sha256\",\"header\":\"X-A\",\"eventHeader\":\"\"}|eventHeader:",
        "{\"type\":\"sha256\",\"header\":\"X-A\",\"deliveryIdHeader\":\"a:b\"}|deliveryIdHeader:",
        "{\"type\":\"sha256\",\"header\":\"X-A\",\"timestampHeader\":\"x-a\"}|header:",
        "[]|signature scheme:",
        "not json|signature scheme:"
      })
  void badTextIsRefusedNamingTheField(String text, String start) {
    assertThatThrownBy(() -> SignatureScheme.decode(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(start);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host",
        "content-length",
        "Webhook-Id",
        "svix-signature",
        "Postrider-Delivery-Id",
        "X\r\nY"
      })
  void headersOfTheRequestItselfAreRefused(String name) {
    assertThatThrownBy(() -> new Sha256Hex(name, null, null, null))
        .hasMessageStartingWith("header:");
    assertThatThrownBy(() -> new Sha256Hex("X-A", null, null, name))
        .hasMessageStartingWith("timestampHeader:");
  }

  private List<String> names(SignatureScheme scheme) {
    return scheme.headers(List.of(key), signable).stream().map(SignatureHeader::name).toList();
  }

  private static Map<String, List<String>> asMap(List<SignatureHeader> headers) {
    Map<String, List<String>> map = new LinkedHashMap<>();
    headers.forEach(header -> map.put(header.name(), List.of(header.value())));
    return map;
  }

  private static Signable signableAt(long seconds) {
    return new Signable(
        "msg_1", "dlv_1", "invoice.paid", seconds, BODY.getBytes(StandardCharsets.UTF_8));
  }
}
