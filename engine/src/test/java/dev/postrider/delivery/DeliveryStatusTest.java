package dev.postrider.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeliveryStatusTest {
  @ParameterizedTest
  @EnumSource
  void codesAreReadBack(DeliveryStatus status) {
    assertThat(DeliveryStatus.of(status.code())).isEqualTo(status);
  }
}
