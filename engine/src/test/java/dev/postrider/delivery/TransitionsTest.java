package dev.postrider.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TransitionsTest {
  /**
   * Written out independently of the table: rows are events, columns the statuses in the order of
   * their codes, - is illegal.
   */
  private static final String EXPECTED =
      """
      event             pending   sending      delivered  failed    dead_letter  canceled
      claim             sending   -            -          sending   -            -
      succeed           -         delivered    -          -         -            -
      fail_retry        -         failed       -          -         -            -
      exhaust           -         dead_letter  -          -         -            -
      cancel            canceled  canceled     -          canceled  -            -
      release           -         pending      -          -         -            -
      release_retry     -         failed       -          -         -            -
      rescue            -         failed       -          -         -            -
      expression_error  -         dead_letter  -          -         -            -
      corrupt           -         dead_letter  -          -         -            -
      payload_expired   -         canceled     -          -         -            -
      redrive           -         -            -          -         pending      pending
      """;

  static Stream<Arguments> cells() {
    Map<String, String[]> rows = new HashMap<>();
    EXPECTED.lines().map(line -> line.split(" +")).forEach(cells -> rows.put(cells[0], cells));
    return Arrays.stream(DeliveryEvent.values())
        .flatMap(
            event ->
                Arrays.stream(DeliveryStatus.values())
                    .map(from -> Arguments.of(from, event, cell(rows.get(event.text()), from))));
  }

  private static String cell(String @Nullable [] row, DeliveryStatus from) {
    return row == null ? "a row is missing for this event" : row[from.code() + 1];
  }

  @ParameterizedTest
  @MethodSource("cells")
  void cell(DeliveryStatus from, DeliveryEvent event, String expected) {
    assertThat(Transitions.allowed(from, event)).isEqualTo(!expected.equals("-"));
    if (expected.equals("-")) {
      assertThatThrownBy(() -> Transitions.next(from, event))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll(from.text(), event.text());
    } else {
      assertThat(Transitions.next(from, event).text()).isEqualTo(expected);
    }
  }

  @Test
  void everyCellIsListedOnce() {
    assertThat(Transitions.table()).doesNotHaveDuplicates();
    assertThat(Transitions.table().stream().map(t -> t.from() + " " + t.event()))
        .doesNotHaveDuplicates();
  }

  @Test
  void onlyARedriveLeavesATerminalStatus() {
    assertThat(Transitions.table())
        .filteredOn(t -> t.from().terminal())
        .allMatch(t -> t.event() == DeliveryEvent.REDRIVE)
        .noneMatch(t -> t.from() == DeliveryStatus.DELIVERED);
  }

  @Test
  void exactlyTheClaimableStatusesCanBeClaimed() {
    for (DeliveryStatus status : DeliveryStatus.values()) {
      assertThat(Transitions.allowed(status, DeliveryEvent.CLAIM)).isEqualTo(status.claimable());
    }
  }

  @Test
  void codesAndTextsAreFixed() {
    assertThat(DeliveryStatus.values())
        .extracting(status -> status.code() + " " + status.text())
        .containsExactly(
            "0 pending", "1 sending", "2 delivered", "3 failed", "4 dead_letter", "5 canceled");
    for (DeliveryStatus status : DeliveryStatus.values()) {
      assertThat(DeliveryStatus.of(status.code())).isEqualTo(status);
    }
    assertThatThrownBy(() -> DeliveryStatus.of(6)).hasMessageContaining("code 6");
  }
}
