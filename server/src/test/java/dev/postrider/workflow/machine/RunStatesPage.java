package dev.postrider.workflow.machine;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;

/** Draws the two transition tables of workflows for the docs. */
final class RunStatesPage {
  private RunStatesPage() {}

  static String markdown() {
    return """
    # The states of a run and of its steps

    Generated from `RunTransitions.java`, `StepTransitions.java` and `HistoryKind.java`; do not
    edit. To regenerate it:
    `mvn -pl server -am test -Dtest=RunStatesPageTest -Dsurefire.failIfNoSpecifiedTests=false \
    -Dpostrider.writeDocs=true`

    ## Runs

    While a run ends, it is `running`: steps are given up and compensated, then `finally` runs.
    The row `run_ended` comes last. Only a redrive leaves the four terminal states.

    ```mermaid
    stateDiagram-v2
    """
        + runs()
        + """
          completed --> [*]
          failed --> [*]
          timed_out --> [*]
          canceled --> [*]
        ```

        | status | event | becomes |
        |---|---|---|
        """
        + RunTransitions.table().stream()
            .map(t -> "| %s | %s | %s |%n".formatted(from(t), t.event().text(), t.to().text()))
            .collect(Collectors.joining())
        + """

        ## Steps

        Each transition is a row of the history, except those that follow from the lease of a
        request. The state of a run does not know whether a request is being sent: what happens to a
        `running` step is listed for `scheduled`. A step is `skipped` if it was given up before its
        first attempt, so that there is nothing to compensate.

        ```mermaid
        stateDiagram-v2
        """
        + steps()
        + """
        ```

        | status | event | becomes | row |
        |---|---|---|---|
        """
        + StepTransitions.table().stream()
            .map(
                t ->
                    "| %s | %s | %s | %s |%n"
                        .formatted(
                            from(t),
                            t.event().text(),
                            t.to().text(),
                            t.row() == null ? "(lease)" : "`" + t.row().text() + "`"))
            .collect(Collectors.joining())
        + """

        ## Rows of the history

        The codes are those of the column `workflow_history.kind`.

        | code | row | meaning |
        |---|---|---|
        """
        + kinds();
  }

  private static String runs() {
    Set<String> lines = new LinkedHashSet<>();
    for (RunTransitions.Transition t : RunTransitions.table()) {
      lines.add(
          "  %s --> %s: %s%n"
              .formatted(
                  t.from() == null ? "[*]" : t.from().text(), t.to().text(), t.event().text()));
    }
    return String.join("", lines);
  }

  private static String steps() {
    Set<String> lines = new LinkedHashSet<>();
    for (StepTransitions.Transition t : StepTransitions.table()) {
      lines.add(
          "  %s --> %s: %s%n"
              .formatted(
                  t.from() == null ? "[*]" : t.from().text(), t.to().text(), t.event().text()));
    }
    for (StepStatus each : StepStatus.values()) {
      if (StepTransitions.table().stream().noneMatch(t -> t.from() == each)) {
        lines.add("  %s --> [*]%n".formatted(each.text()));
      }
    }
    return String.join("", lines);
  }

  private static String kinds() {
    StringBuilder rows = new StringBuilder();
    for (HistoryKind kind : HistoryKind.values()) {
      rows.append("| %d | `%s` | %s |%n".formatted(kind.code(), kind.text(), kind.meaning()));
    }
    return rows.toString();
  }

  private static String from(RunTransitions.Transition t) {
    return t.from() == null ? "(new)" : t.from().text();
  }

  private static String from(StepTransitions.Transition t) {
    return t.from() == null ? "(new)" : t.from().text();
  }
}
