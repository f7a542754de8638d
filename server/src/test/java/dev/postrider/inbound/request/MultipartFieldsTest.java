package dev.postrider.inbound.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Bodies as browsers and Mailgun write them, and as nobody should. */
class MultipartFieldsTest {
  private static final String TYPE = "multipart/form-data; boundary=\"a b\"";

  private static MultipartFields parse(String type, String body) {
    return parse(type, body.getBytes(StandardCharsets.UTF_8));
  }

  private static MultipartFields parse(String type, byte[] body) {
    return MultipartFields.parse(
        new InboundRequest(
            "POST",
            "https://example.com/in/a",
            Headers.of(Map.of("Content-Type", List.of(type))),
            body,
            "10.0.0.1"));
  }

  private static String part(String header, String value) {
    return "--a b\r\n" + header + "\r\n\r\n" + value + "\r\n";
  }

  private static String named(String name, String value) {
    return part("Content-Disposition: form-data; name=\"" + name + "\"", value);
  }

  @Test
  void shortFieldsAreReadAndTheRestIsPassedOver() {
    MultipartFields fields =
        parse(
            TYPE,
            "preamble\r\n"
                + named("token", "t-1")
                + named("token", "second")
                + named("empty", "")
                + part("content-disposition: form-data; name=plain", "gr\u00fc\u00df")
                + part("Content-Disposition: form-data; name=\"f\"; filename=\"x\"", "bytes")
                + named("long", "x".repeat(MultipartFields.MAX_VALUE + 1))
                + "--a b--\r\nepilogue");
    assertThat(fields.first("token")).isEqualTo("t-1");
    assertThat(fields.first("empty")).isEmpty();
    assertThat(fields.first("plain")).isEqualTo("gr\u00fc\u00df");
    assertThat(fields.first("f")).as("a file").isNull();
    assertThat(fields.first("long")).isNull();
    assertThat(fields.first("none")).isNull();
  }

  @Test
  void otherBodiesHaveNoFields() {
    String whole = named("a", "1") + "--a b--\r\n";
    assertThat(parse(TYPE, whole).first("a")).isEqualTo("1");
    assertThat(parse("multipart/form-data; boundary=other", whole)).isNull();
    assertThat(parse("multipart/form-data", whole)).isNull();
    assertThat(parse("multipart/mixed; boundary=\"a b\"", whole)).isNull();
    assertThat(parse("multipart/form-data; boundary=" + "x".repeat(71), whole)).isNull();
    assertThat(parse(TYPE, "")).isNull();
    assertThat(parse(TYPE, "--a b--\r\n")).as("without a part").isNull();
    assertThat(parse(TYPE, named("a", "1"))).as("without its end").isNull();
    assertThat(parse(TYPE, "--a bcd\r\n\r\n" + whole)).as("a longer boundary").isNull();
    assertThat(parse(TYPE, named("a", "1").repeat(MultipartFields.MAX_PARTS + 1) + "--a b--"))
        .isNull();
  }

  @Test
  void noBytesMakeItThrow() {
    byte[] whole =
        (named("a", "1") + named("b", "2") + "--a b--\r\n").getBytes(StandardCharsets.UTF_8);
    for (int length = 0; length < whole.length; length++) {
      parse(TYPE, Arrays.copyOf(whole, length));
    }
    Random random = new Random(7);
    for (int round = 0; round < 2_000; round++) {
      byte[] spoilt = whole.clone();
      for (int i = 0; i < 4; i++) {
        spoilt[random.nextInt(spoilt.length)] = (byte) "\r\n- ab\"".charAt(random.nextInt(8) % 7);
      }
      parse(TYPE, spoilt);
    }
  }
}
