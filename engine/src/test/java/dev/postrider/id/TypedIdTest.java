package dev.postrider.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class TypedIdTest {
  private final Id id = new Ids(() -> 1_800_000_000_000L, new SplittableRandom(7)).next();

  @Test
  void itsTextHasThePrefixOfItsKind() {
    EndpointId endpoint = new EndpointId(id);
    assertThat(endpoint.text()).startsWith("ep_").isEqualTo(id.text(IdKind.ENDPOINT));
    assertThat(endpoint).hasToString(endpoint.text());
    assertThat(new EndpointId(endpoint.text())).isEqualTo(endpoint);
    assertThat(EndpointId.parse(endpoint.text())).isEqualTo(endpoint);
  }

  @Test
  void aTextOfAnotherKindIsNotParsed() {
    String text = new EndpointId(id).text();
    assertThat(ApplicationId.parse(text)).isNull();
    assertThatThrownBy(() -> new ApplicationId(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("it must start with app_");
  }
}
