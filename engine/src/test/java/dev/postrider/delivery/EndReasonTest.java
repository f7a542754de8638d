package dev.postrider.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EndReasonTest {
  /** Stored in databases and read by clients: none of them may change. */
  @Test
  void theTextsStay() {
    assertThat(Stream.of(EndReason.values()).map(EndReason::text))
        .containsExactly(
            "exhausted",
            "resend_failed",
            "endpoint_gone",
            "endpoint_failing",
            "expression",
            "corrupt",
            "secret_unreadable",
            "filtered",
            "transform",
            "endpoint_disabled",
            "endpoint_deleted",
            "queue_deleted",
            "payload_expired",
            "expired",
            "expunged",
            "cancel_requested");
  }

  @Test
  void aTextLeadsBackToItsReason() {
    assertThat(EndReason.values())
        .allSatisfy(reason -> assertThat(EndReason.of(reason.text())).isEqualTo(reason));
    assertThat(EndReason.of(null)).isNull();
    assertThat(EndReason.textOf(null)).isNull();
    assertThatThrownBy(() -> EndReason.of("Exhausted")).hasMessageContaining("\"Exhausted\"");
  }
}
