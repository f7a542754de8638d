package dev.postrider.delivery.http.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.http.HeaderList;
import dev.postrider.net.Cidr;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetTest {
  private static final TargetRules OPEN = new TargetRules(false, List.of());
  private static final TargetRules STRICT =
      new TargetRules(true, List.of(Cidr.parse("127.0.0.0/8"), Cidr.parse("fd00::/8")));

  @ParameterizedTest
  @CsvSource({
    "https://Example.COM, https://example.com/",
    "HTTPS://example.com:443/a?b=c, https://example.com/a?b=c",
    "http://example.com:/, http://example.com/",
    "http://example.com:8080?x, http://example.com:8080/?x",
    "https://example.com/a#part, https://example.com/a",
    "https://example.com#@127.0.0.1, https://example.com/",
    "https://example.com./x, https://example.com/x",
    "https://bücher.example/ü?ü=€, https://xn--bcher-kva.example/%C3%BC?%C3%BC=%E2%82%AC",
    "https://example.com/%7Ea%2F, https://example.com/%7Ea%2F",
    "https://example.com/{id}|x, https://example.com/%7Bid%7D%7Cx",
    "https://my_host.example.com/, https://my_host.example.com/",
    "https://[2606:4700:0::1111]:8443/, https://[2606:4700:0:0:0:0:0:1111]:8443/",
    "https://example.com/@user:1, https://example.com/@user:1"
  })
  void bringsUrlsIntoOneSpelling(String url, String canonical) throws Exception {
    Target target = Target.parse(url, OPEN);

    assertThat(target.url()).isEqualTo(canonical);
    assertThat(target).isEqualTo(Target.parse(canonical, OPEN)).hasSameHashCodeAs(target);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ftp://example.com/|https://",
        "example.com/hook|https://",
        "//example.com/|https://",
        "http:/example.com/|https://",
        "https:///path|no host",
        "https://user@example.com/|Authorization",
        "https://example.com:99999/|port",
        "https://example.com:-1/|port",
        "https://2130706433/|four decimal numbers",
        "https://[fe80::1%25eth0]/|zone id",
        "https://[::1/|bracket",
        "https://a b.example/|space",
        "https://example.com/a\\b|backslash"
      })
  void namesTheProblemAndTheFix(String url, String part) {
    assertThatThrownBy(() -> Target.parse(url, OPEN))
        .isInstanceOf(BadTarget.class)
        .hasMessageContaining(part);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\r\n", "\u0000", "\t", "\u007f", "\u0085", "\u2028", "\u00a0"})
  void refusesControlCharactersAndOddSpacesAnywhere(String odd) {
    for (String url :
        List.of(
            "https://example.com/a" + odd + "b", "https://exa" + odd + "mple.com/", odd + "x")) {
      assertThatThrownBy(() -> Target.parse(url, OPEN)).isInstanceOf(BadTarget.class);
    }
  }

  @Test
  void boundsTheLength() throws Exception {
    String start = "https://example.com/";
    String longest = start + "a".repeat(Target.MAX_URL_LENGTH - start.length());

    assertThat(Target.parse(longest, OPEN).url()).isEqualTo(longest);
    assertThatThrownBy(() -> Target.parse(longest + "a", OPEN)).hasMessageContaining("2048");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://127.0.0.1:80/", "http://[fd00::1]/", "http://localhost:3000/"})
  void plainHttpIsForAllowedAddresses(String url) throws Exception {
    assertThat(Target.parse(url, STRICT).isHttps()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"http://example.com/", "http://8.8.8.8/", "http://127.0.0.1.example.com/"})
  void plainHttpIsRefusedElsewhere(String url) {
    assertThatThrownBy(() -> Target.parse(url, STRICT))
        .hasMessageContainingAll("https://", "requireHttps");
  }

  @Test
  void doesNotShowTheQuery() throws Exception {
    assertThat(Target.parse("https://example.com/a?token=secret", OPEN))
        .hasToString("https://example.com/a?…");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a b",
        "a:b",
        "é",
        "a\r\nb",
        "Host",
        "content-LENGTH",
        "Transfer-Encoding",
        "connection"
      })
  void aHeaderNameMustBeSendable(String name) {
    assertThatThrownBy(() -> new HeaderList().add(name, "v"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\r\nX: y", "a\nb", "a\rb", "\u0000", "€", "\u007f"})
  void aHeaderValueMustBeSendable(String value) {
    assertThatThrownBy(() -> new HeaderList().add("X", value))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aHeaderListGrowsAndHidesItsValues() {
    HeaderList list = new HeaderList();
    for (int i = 0; i < 40; i++) {
      list.add("N" + i, "secret" + i);
    }
    HeaderList all = new HeaderList().add("First", "1").addAll(list);

    assertThat(all.size()).isEqualTo(41);
    assertThat(all.name(40)).isEqualTo("N39");
    assertThat(all.value(40)).isEqualTo("secret39");
    assertThat(all.toString()).contains("N39").doesNotContain("secret");
  }
}
