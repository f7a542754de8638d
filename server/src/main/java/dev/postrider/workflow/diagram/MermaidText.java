package dev.postrider.workflow.diagram;

import dev.postrider.workflow.machine.StepStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes a diagram of a workflow or a run in the language of Mermaid. */
public final class MermaidText {
  private static final String CLASSES =
      """
        classDef scheduled fill:#fff7d6,stroke:#b58900
        classDef waiting fill:#fff7d6,stroke:#b58900
        classDef completed fill:#e3f5e1,stroke:#2b7a2b
        classDef failed fill:#fbe3e4,stroke:#b00020
        classDef timed_out fill:#fbe3e4,stroke:#b00020
        classDef canceled fill:#eeeeee,stroke:#777777
        classDef skipped fill:#eeeeee,stroke:#777777,stroke-dasharray:4
      """;

  private final DiagramModel model;
  private final StringBuilder text = new StringBuilder("flowchart TD\n");

  private MermaidText(DiagramModel model) {
    this.model = model;
  }

  public static String of(DiagramModel model) {
    return new MermaidText(model).text();
  }

  private String text() {
    boxes(-1, "  ");
    List<Integer> taken = new ArrayList<>();
    for (int i = 0; i < model.edges().size(); i++) {
      edge(model.edges().get(i));
      if (model.edges().get(i).taken()) {
        taken.add(i);
      }
    }
    if (!taken.isEmpty()) {
      text.append("  linkStyle ")
          .append(taken.stream().map(String::valueOf).collect(Collectors.joining(",")))
          .append(" stroke:#2b7a2b,stroke-width:3px\n");
    }
    classes();
    return text.toString();
  }

  private void boxes(int group, String indent) {
    for (DiagramModel.Node node : model.nodes()) {
      if (node.group() == group) {
        box(node, indent);
      }
    }
    for (DiagramModel.Group inner : model.groups()) {
      if (inner.outer() == group) {
        text.append("%ssubgraph g%d [\"%s\"]%n".formatted(indent, inner.number(), label(inner)));
        boxes(inner.number(), indent + "  ");
        text.append(indent).append("end\n");
      }
    }
  }

  private static String label(DiagramModel.Group group) {
    return escaped(group.label());
  }

  private void box(DiagramModel.Node node, String indent) {
    String label = escaped(node.name()) + "<br/>" + escaped(node.type());
    boolean choice = node.type().equals("choice");
    text.append(
        "%ss%d%s\"%s\"%s%n"
            .formatted(indent, node.step(), choice ? "{" : "[", label, choice ? "}" : "]"));
  }

  private void edge(DiagramModel.Edge edge) {
    String arrow =
        switch (edge.kind()) {
          case NEXT, CHOICE, INTO -> "-->";
          case CATCH, COMPENSATE -> "-.->";
        };
    String label = edge.label() == null ? "" : "|\"" + escaped(edge.label()) + "\"|";
    text.append("  s%d %s%s s%d%n".formatted(edge.from(), arrow, label, edge.to()));
  }

  private void classes() {
    boolean any = false;
    for (StepStatus status : StepStatus.values()) {
      String steps =
          model.nodes().stream()
              .filter(node -> node.visit() != null && node.visit().status() == status)
              .map(node -> "s" + node.step())
              .collect(Collectors.joining(","));
      if (!steps.isEmpty()) {
        text.append(any ? "" : CLASSES);
        text.append("  class %s %s%n".formatted(steps, status.text()));
        any = true;
      }
    }
  }

  /** Quotes and brackets end a label of Mermaid. */
  private static String escaped(@Nullable String label) {
    StringBuilder safe = new StringBuilder();
    for (char c : (label == null ? "" : label).toCharArray()) {
      switch (c) {
        case '"', '<', '>', '#', ';', '&', '|', '{', '}', '[', ']', '\\', '`' ->
            safe.append('#').append((int) c).append(';');
        default -> safe.append(c);
      }
    }
    return safe.toString();
  }
}
