package dev.postrider.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeliveryStatusTest {
  @ParameterizedTest
  @EnumSource
  void codesAreReadBack(DeliveryStatus status) {
    assertThat(DeliveryStatus.of(status.code())).isEqualTo(status);
    assertThat(DeliveryStatus.sql("status = {" + status + "}"))
        .isEqualTo("status = " + status.code());
  }

  @Test
  void aStatementKeepsEverythingButTheNames() {
    assertThat(
            DeliveryStatus.sql(
                "SET status = {DELIVERED}, shape = '{}', a = $1 WHERE status IN ({PENDING}, {FAILED})"))
        .isEqualTo("SET status = 2, shape = '{}', a = $1 WHERE status IN (0, 3)");
  }

  @Test
  void anUnknownNameIsRefused() {
    assertThatThrownBy(() -> DeliveryStatus.sql("status = {SENT}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("SENT");
  }
}
