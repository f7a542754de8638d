package dev.postrider.workflow.diagram;

import dev.postrider.workflow.machine.StepStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A picture as SVG. Steps stand below each other in the order of the definition; those inside a
 * step are to its right. A step that leads to the following one has a straight line, all others
 * have a lane of their own at the right.
 */
public final class SvgPicture {
  private static final int WIDTH = 180;
  private static final int HEIGHT = 44;
  private static final int GAP = 26;
  private static final int MARGIN = 20;
  private static final int INDENT = 48;
  private static final int LANE = 18;
  private static final int LABELS = 230;

  private static final String STYLE =
      """
      <style>
      .box{fill:#ffffff;stroke:#555555}
      .scheduled,.waiting{fill:#fff7d6;stroke:#b58900}
      .completed{fill:#e3f5e1;stroke:#2b7a2b}
      .failed,.timed_out{fill:#fbe3e4;stroke:#b00020}
      .canceled,.skipped{fill:#eeeeee;stroke:#777777}
      .skipped{stroke-dasharray:4}
      .edge{fill:none;stroke:#777777}
      .dotted{stroke-dasharray:3 3}
      .taken{stroke:#2b7a2b;stroke-width:2.5}
      text{font-family:system-ui,sans-serif;font-size:12px;fill:#222222}
      .type,.label{font-size:10px;fill:#555555}
      .label{paint-order:stroke;stroke:#ffffff;stroke-width:3px}
      .name{font-weight:600}
      </style>
      """;

  private final DiagramModel model;
  private final Map<Integer, Box> boxes = new HashMap<>();
  private final StringBuilder svg = new StringBuilder();

  private record Box(int row, int x, int y) {
    int right() {
      return x + WIDTH;
    }

    int middle() {
      return y + HEIGHT / 2;
    }
  }

  private SvgPicture(DiagramModel model) {
    this.model = model;
  }

  public static String of(DiagramModel model) {
    return new SvgPicture(model).draw();
  }

  private String draw() {
    int right = 0;
    for (int row = 0; row < model.nodes().size(); row++) {
      DiagramModel.Node node = model.nodes().get(row);
      Box box = new Box(row, MARGIN + node.depth() * INDENT, MARGIN + row * (HEIGHT + GAP));
      boxes.put(node.step(), box);
      right = Math.max(right, box.right());
    }
    List<DiagramModel.Edge> jumps = new ArrayList<>();
    for (DiagramModel.Edge edge : model.edges()) {
      if (edge.kind() == DiagramModel.Kind.INTO) {
        into(edge);
      } else if (edge.kind() == DiagramModel.Kind.NEXT && isFollowing(edge)) {
        straight(edge);
      } else {
        jumps.add(edge);
      }
    }
    int lanes = jumps(jumps, right + MARGIN);
    model.nodes().forEach(this::box);
    int width = right + MARGIN + lanes * LANE + LABELS;
    int height = 2 * MARGIN + model.nodes().size() * (HEIGHT + GAP) - GAP;
    return """
    <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">
    <defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" \
    markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#777777"/></marker></defs>
    """
            .formatted(width, height, width, height)
        + STYLE
        + svg
        + "</svg>\n";
  }

  private Box box(int step) {
    return Objects.requireNonNull(boxes.get(step));
  }

  /** Whether nothing but what is inside the step stands between the two. */
  private boolean isFollowing(DiagramModel.Edge edge) {
    DiagramModel.Node from = model.node(edge.from());
    int to = box(edge.to()).row();
    for (int row = box(edge.from()).row() + 1; row < to; row++) {
      if (model.nodes().get(row).depth() <= from.depth()) {
        return false;
      }
    }
    return to > box(edge.from()).row();
  }

  private void straight(DiagramModel.Edge edge) {
    Box from = box(edge.from());
    Box to = box(edge.to());
    int x = from.x() + INDENT / 2;
    path(edge, "M%d %dV%d".formatted(x, from.y() + HEIGHT, to.y()));
  }

  private void into(DiagramModel.Edge edge) {
    Box from = box(edge.from());
    Box to = box(edge.to());
    int x = from.x() + INDENT * 3 / 4;
    path(edge, "M%d %dV%dH%d".formatted(x, from.y() + HEIGHT, to.middle(), to.x()));
  }

  /** Short jumps get the lanes next to the steps. The number of lanes. */
  private int jumps(List<DiagramModel.Edge> jumps, int left) {
    jumps.sort(Comparator.comparingInt(this::length));
    List<List<DiagramModel.Edge>> lanes = new ArrayList<>();
    for (DiagramModel.Edge edge : jumps) {
      int lane = 0;
      while (lane < lanes.size() && overlaps(lanes.get(lane), edge)) {
        lane++;
      }
      if (lane == lanes.size()) {
        lanes.add(new ArrayList<>());
      }
      lanes.get(lane).add(edge);
      jump(edge, left + lane * LANE);
    }
    return lanes.size();
  }

  private int length(DiagramModel.Edge edge) {
    return Math.abs(box(edge.from()).row() - box(edge.to()).row());
  }

  private boolean overlaps(List<DiagramModel.Edge> lane, DiagramModel.Edge edge) {
    return lane.stream().anyMatch(each -> top(each) <= bottom(edge) && top(edge) <= bottom(each));
  }

  private int top(DiagramModel.Edge edge) {
    return Math.min(box(edge.from()).row(), box(edge.to()).row());
  }

  private int bottom(DiagramModel.Edge edge) {
    return Math.max(box(edge.from()).row(), box(edge.to()).row());
  }

  private void jump(DiagramModel.Edge edge, int x) {
    Box from = box(edge.from());
    Box to = box(edge.to());
    // Several arrows may leave or reach a step: they are a little apart.
    int y = from.middle() + 8;
    int end = to.middle() - 8;
    path(edge, "M%d %dH%dV%dH%d".formatted(from.right(), y, x, end, to.right()));
    if (edge.label() != null) {
      svg.append(
          "<text class=\"label\" x=\"%d\" y=\"%d\">%s</text>%n"
              .formatted(x + 4, (y + end) / 2 + 4, escaped(edge.label())));
    }
  }

  private void path(DiagramModel.Edge edge, String d) {
    boolean dotted =
        edge.kind() == DiagramModel.Kind.CATCH || edge.kind() == DiagramModel.Kind.COMPENSATE;
    svg.append(
        "<path class=\"edge%s%s\" d=\"%s\" marker-end=\"url(#arrow)\"/>%n"
            .formatted(dotted ? " dotted" : "", edge.taken() ? " taken" : "", d));
  }

  private void box(DiagramModel.Node node) {
    Box box = box(node.step());
    StepStatus status = node.visit() == null ? null : node.visit().status();
    svg.append(
        "<rect class=\"box%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>%n"
            .formatted(status == null ? "" : " " + status.text(), box.x(), box.y(), WIDTH, HEIGHT));
    svg.append(
        "<text class=\"name\" x=\"%d\" y=\"%d\">%s</text>%n"
            .formatted(box.x() + 10, box.y() + 18, escaped(cut(node.name()))));
    String type = status == null ? node.type() : node.type() + " · " + status.text();
    svg.append(
        "<text class=\"type\" x=\"%d\" y=\"%d\">%s</text>%n"
            .formatted(box.x() + 10, box.y() + 34, escaped(type)));
  }

  private static String cut(String name) {
    return name.length() <= 24 ? name : name.substring(0, 23) + "…";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
