package dev.postrider.delivery;

/**
 * Draws {@link Transitions} for {@code docs/reference/delivery-states.md}. A test fails when the
 * file no longer shows the table.
 */
public final class TransitionsDiagram {
  private static final String HEAD =
      """
      # The states of a delivery

      Generated from the transition table in `Transitions.java`; do not edit. To write it anew:
      `mvn -pl server test -Dtest=TransitionsDiagramTest -Dpostrider.writeDocs=true`

      `pending` and `failed` are claimable. `delivered`, `dead_letter` and `canceled` are terminal: the last two are left only
      by a recorded redrive, `delivered` never (a resend is a new delivery).

      ```mermaid
      stateDiagram-v2
        [*] --> pending
        [*] --> sending: claimed at birth
      """;

  private TransitionsDiagram() {}

  public static String markdown() {
    StringBuilder page = new StringBuilder(HEAD);
    for (Transitions.Transition t : Transitions.table()) {
      page.append("  %s --> %s: %s\n".formatted(t.from().text(), t.to().text(), t.event().text()));
    }
    page.append("  delivered --> [*]\n```\n\n| status | event | becomes |\n|---|---|---|\n");
    for (Transitions.Transition t : Transitions.table()) {
      page.append("| %s | %s | %s |\n".formatted(t.from().text(), t.event().text(), t.to().text()));
    }
    return page.toString();
  }
}
