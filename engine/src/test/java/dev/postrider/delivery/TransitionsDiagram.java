package dev.postrider.delivery;

/**
 * Draws {@link Transitions} for {@code docs/reference/delivery-states.md}. A test fails when the
 * file no longer shows the table.
 */
public final class TransitionsDiagram {
  private static final String HEAD =
      """
      # The states of a delivery

      Generated from the transition table in `Transitions.java`; do not edit. To regenerate it:
      `mvn -pl server -am test -Dtest=TransitionsDiagramTest -Dsurefire.failIfNoSpecifiedTests=false -Dpostrider.writeDocs=true`

      `pending` and `failed` can be claimed. `delivered`, `dead_letter` and `canceled` are terminal.
      Only a recorded redrive leaves `dead_letter` and `canceled`. Nothing leaves `delivered`: a resend
      is a new delivery.

      ```mermaid
      stateDiagram-v2
        [*] --> pending
        [*] --> sending: leased at insert
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
