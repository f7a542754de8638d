package dev.postrider.workflow.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Values, what responses become, canonical JSON and what is hidden. */
final class JsonValueTest {
  private static JsonValue body(String text) {
    return JsonValue.ofBody(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aBodyIsJsonNullOrAString() {
    assertThat(body("{\"a\": 1}").json()).isEqualTo("{\"a\": 1}");
    assertThat(body("7").json()).isEqualTo("7");
    assertThat(body("")).isEqualTo(JsonValue.NULL);
    assertThat(body("ok").json()).isEqualTo("\"ok\"");
    assertThat(body("{\"a\":1} {").json()).isEqualTo("\"{\\\"a\\\":1} {\"");
    assertThat(JsonValue.ofBody(new byte[] {'a', (byte) 0xff}).json()).isEqualTo("\"a\uFFFD\"");
  }

  @Test
  void aValueIsNotInLogs() {
    assertThat(JsonValue.ofJson("{\"secret\":1}")).hasToString("JSON of 12 bytes");
  }

  @Test
  void valuesAreWhatExpressionsRead() {
    assertThat(JsonValue.ofJson("{\"a\":[1,null,\"x\"]}").plain())
        .isEqualTo(Map.of("a", Arrays.asList(1, null, "x")));
    assertThat(JsonValue.ofJson("[1,{\"b\":2}]").item(1).json()).isEqualTo("{\"b\":2}");
    assertThat(JsonValue.ofObject(List.of(1, "a")).json()).isEqualTo("[1,\"a\"]");
  }

  @Test
  void canonicalJsonIsTheSameForTheSameContent() {
    String one =
        CanonicalJson.write(JsonValue.ofJson("{\"b\": [{\"y\":1,\"x\":2}], \"a\":1}").tree());
    assertThat(one).isEqualTo("{\"a\":1,\"b\":[{\"x\":2,\"y\":1}]}");
    assertThat(CanonicalJson.hash(one))
        .isEqualTo(
            CanonicalJson.hash(
                CanonicalJson.write(
                    JsonValue.ofJson("{\"a\":1,\"b\":[{\"x\":2,\"y\":1}]}").tree())))
        .isNotEqualTo(CanonicalJson.hash("{\"a\":1,\"b\":[{\"x\":2,\"y\":2}]}"))
        .hasToString("8b82523b-0433-9047-c553-4f0dd47bbdf0");
  }

  @Test
  void maskedMembersAreHiddenWithAllThatIsInThem() {
    JsonValue value =
        JsonValue.ofJson("{\"Token\":{\"a\":1},\"b\":[{\"iban\":\"DE\"}],\"c\":2,\"n\":null}");
    assertThat(Masking.of(List.of("token", "IBAN")).masked(value).json())
        .isEqualTo("{\"Token\":\"***\",\"b\":[{\"iban\":\"***\"}],\"c\":2,\"n\":null}");
    assertThat(Masking.of(List.of()).masked(value)).isSameAs(value);
    assertThat(Masking.DEFAULT.shape(value).json())
        .isEqualTo("{\"Token\":\"***\",\"b\":[{\"iban\":\"***\"}],\"c\":\"***\",\"n\":null}");
  }
}
