package dev.postrider.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class RequestTemplateTest {
  private static final LoadPlan PLAN =
      new LoadPlan(
          List.of("127.0.0.1:1"), List.of("app_a"), "tok", "key-", "a.b", 200, 1, 0, 1, 0, "");

  private static String text(LoadPlan plan, long number, long stamp) {
    byte[] bytes = RequestTemplate.of(plan, "app_a", "127.0.0.1:1").patched(number, stamp);
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  private static String body(String request) {
    return request.substring(request.indexOf("\r\n\r\n") + 4);
  }

  @Test
  void aRequestToTheApiCarriesTokenKeyAndStamp() {
    String request = text(PLAN, 7, 99);

    assertThat(request)
        .startsWith("POST /api/v1/app/app_a/msg HTTP/1.1\r\n")
        .contains("Authorization: Bearer tok\r\n", "idempotency-key: key-000000000007\r\n")
        .contains("Content-Length: " + body(request).length() + "\r\n");
    assertThat(body(request)).contains("\"t\":\"0000000000000000099\"");
  }

  @Test
  void aRequestToASourceIsSignedForEachStamp() throws GeneralSecurityException {
    LoadPlan plan = PLAN.toSources(List.of("app_a"), "secret");
    String first = text(plan, 1, 10);
    String second = text(plan, 2, 20);

    for (String request : List.of(first, second)) {
      assertThat(request)
          .startsWith("POST /in/app_a HTTP/1.1\r\n")
          .contains("X-Hub-Signature-256: sha256=" + hmac(body(request)) + "\r\n")
          .doesNotContain("Authorization");
      assertThat(body(request)).hasSize(200);
    }
    assertThat(first).contains("X-GitHub-Delivery: key-000000000001\r\n");
    assertThat(body(first)).isNotEqualTo(body(second));
  }

  private static String hmac(String body) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec("secret".getBytes(StandardCharsets.US_ASCII), "HmacSHA256"));
    return HexFormat.of().formatHex(mac.doFinal(body.getBytes(StandardCharsets.US_ASCII)));
  }
}
