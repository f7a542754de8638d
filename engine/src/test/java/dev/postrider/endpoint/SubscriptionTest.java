package dev.postrider.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SubscriptionTest {
  @Test
  void parses() {
    assertThat(Subscription.parse("*")).isEqualTo(new Subscription.All());
    assertThat(Subscription.parse("a.*")).isEqualTo(new Subscription.Prefix("a."));
    assertThat(Subscription.parse("a.b.*")).isEqualTo(new Subscription.Prefix("a.b."));
    assertThat(Subscription.parse("invoice.paid-2_X"))
        .isEqualTo(new Subscription.Exact("invoice.paid-2_X"));
    assertThat(Subscription.parse("a".repeat(256)).text()).hasSize(256);
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "a", "a.b", "a.*", "a.b.*", "-_.", "a."})
  void textReadsBack(String text) {
    assertThat(Subscription.parse(text).text()).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " ", "a b", "a*", "*.a", "a.*.b", "**", ".*", "*.*", "a.**", "ä", "a\n", "a/b", "a,b"
      })
  void refusesOtherText(String text) {
    assertThatThrownBy(() -> Subscription.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"" + text + "\"")
        .hasMessageContaining("invoice.*");
  }

  @Test
  void refusesTextThatIsTooLong() {
    assertThatThrownBy(() -> Subscription.parse("a".repeat(257)))
        .hasMessageContaining("256")
        .hasMessageContaining("…");
    assertThatThrownBy(() -> new Subscription.Prefix("a")).hasMessageContaining("dot");
  }

  @ParameterizedTest
  @CsvSource({
    "a.*,a.x,true",
    "a.*,a.x.y,true",
    "a.*,a.,true",
    "a.*,a,false",
    "a.*,ab.x,false",
    "a.*,A.x,false",
    "a.*,b.a.x,false",
    "a.b.*,a.b.c,true",
    "a.b.*,a.bc,false",
    "a.b,a.b,true",
    "a.b,a.b.c,false",
    "a.b,aXb,false",
    "*,anything,true"
  })
  void rowAndSetAgree(String row, String type, boolean matches) {
    assertThat(Subscription.parse(row).matches(type)).isEqualTo(matches);
    assertThat(SubscriptionSet.parse(List.of(row)).matches(type)).isEqualTo(matches);
    assertThat(Subscription.textsMatching(type).contains(row)).isEqualTo(matches);
  }

  @Test
  void withoutSubscriptionsAllEventTypesMatch() {
    assertThat(SubscriptionSet.parse(List.of()).matches("a.b")).isTrue();
    assertThat(SubscriptionSet.parse(List.of("x", "*")).matches("a.b")).isTrue();
    assertThat(SubscriptionSet.parse(List.of("x")).matches("a.b")).isFalse();
  }

  @Test
  void textsMatchingListsEveryRowText() {
    assertThat(Subscription.textsMatching("a.b.c"))
        .containsExactlyInAnyOrder("*", "a.b.c", "a.*", "a.b.*");
    assertThat(Subscription.textsMatching("a")).containsExactlyInAnyOrder("*", "a");
    assertThat(Subscription.textsMatching(".a")).containsExactlyInAnyOrder("*", ".a");
  }

  /**
   * The set, the row and the list of texts are three ways to say the same; random names over a tiny
   * alphabet find seams.
   */
  @Test
  void theThreeWaysToMatchAgree() {
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      List<String> rows = new ArrayList<>();
      for (int n = 1 + random.nextInt(3); n > 0; n--) {
        String name = name(random);
        rows.add(random.nextBoolean() ? name : name + ".*");
      }
      String type = name(random);
      boolean bySet = SubscriptionSet.parse(rows).matches(type);
      assertThat(rows.stream().map(Subscription::parse).anyMatch(row -> row.matches(type)))
          .as("%s on %s", rows, type)
          .isEqualTo(bySet);
      assertThat(rows.stream().anyMatch(Subscription.textsMatching(type)::contains))
          .as("%s on %s", rows, type)
          .isEqualTo(bySet);
    }
  }

  @Test
  void channels() {
    assertThat(SubscriptionSet.sharesChannel(List.of(), List.of())).isTrue();
    assertThat(SubscriptionSet.sharesChannel(List.of(), List.of("x"))).isTrue();
    assertThat(SubscriptionSet.sharesChannel(List.of("x"), List.of())).isFalse();
    assertThat(SubscriptionSet.sharesChannel(List.of("x", "y"), List.of("z", "y"))).isTrue();
    assertThat(SubscriptionSet.sharesChannel(List.of("x"), List.of("z"))).isFalse();
  }

  private static String name(Random random) {
    StringBuilder name = new StringBuilder();
    for (int n = 1 + random.nextInt(5); n > 0; n--) {
      name.append("ab.".charAt(random.nextInt(3)));
    }
    return name.toString();
  }
}
