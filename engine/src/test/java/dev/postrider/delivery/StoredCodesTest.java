package dev.postrider.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.http.OutcomeClass;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StoredCodesTest {
  @ParameterizedTest
  @EnumSource
  void eachStatusHasItsCode(DeliveryStatus status) {
    assertThat(StoredCodes.sql("status = {" + status + "}")).isEqualTo("status = " + status.code());
  }

  @ParameterizedTest
  @EnumSource
  void eachOutcomeHasItsCode(OutcomeClass outcome) {
    assertThat(StoredCodes.sql("outcome <> {" + outcome + "}"))
        .isEqualTo("outcome <> " + outcome.code());
  }

  @ParameterizedTest
  @EnumSource
  void eachCircuitHasItsCode(Circuit circuit) {
    assertThat(StoredCodes.sql("circuit = {" + circuit + "}"))
        .isEqualTo("circuit = " + circuit.code());
  }

  @Test
  void aStatementKeepsEverythingButTheNames() {
    assertThat(
            StoredCodes.sql(
                "SET status = {DELIVERED}, shape = '{}', a = $1 WHERE status IN ({PENDING},"
                    + " {FAILED})"))
        .isEqualTo("SET status = 2, shape = '{}', a = $1 WHERE status IN (0, 3)");
  }

  @Test
  void anUnknownNameIsRefused() {
    assertThatThrownBy(() -> StoredCodes.sql("status = {SENT}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("SENT");
  }
}
