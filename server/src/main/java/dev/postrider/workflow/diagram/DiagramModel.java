package dev.postrider.workflow.diagram;

import dev.postrider.workflow.definition.Block;
import dev.postrider.workflow.definition.Catch;
import dev.postrider.workflow.definition.Definition;
import dev.postrider.workflow.definition.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a picture of a workflow shows.
 *
 * @param nodes in the order of the definition: each step before those inside it, handlers last
 * @param groups lists inside steps, and the handlers
 */
public record DiagramModel(List<Node> nodes, List<Edge> edges, List<Group> groups) {
  private static final int MAX_LABEL = 40;

  public DiagramModel {
    nodes = List.copyOf(nodes);
    edges = List.copyOf(edges);
    groups = List.copyOf(groups);
  }

  /**
   * A step.
   *
   * @param depth of the lists around it, from 0
   * @param group the number of its group; -1 for the list of the run
   * @param visit what it did in the run; null if it did not begin, or without a run
   */
  public record Node(
      int step, String name, String type, int depth, int group, RunPath.@Nullable Visit visit) {}

  /** Why one step leads to another. */
  public enum Kind {
    NEXT,
    CHOICE,
    CATCH,

    /** To the first step of a branch or of the items. */
    INTO,
    COMPENSATE
  }

  /**
   * @param label null for none
   * @param taken whether the run went along it
   */
  public record Edge(int from, int to, Kind kind, @Nullable String label, boolean taken) {}

  /**
   * @param number its index
   * @param parent the step that it belongs to; null for the handlers
   */
  public record Group(int number, @Nullable Integer parent, String label, int outer) {}

  public static DiagramModel of(Definition definition, RunPath path) {
    Builder builder = new Builder(definition, path);
    builder.list(definition.main(), 0, -1);
    builder.handlers();
    return new DiagramModel(
        builder.nodes.values().stream().toList(), builder.edges, builder.groups);
  }

  public Node node(int step) {
    for (Node node : nodes) {
      if (node.step() == step) {
        return node;
      }
    }
    throw new IllegalArgumentException("no step has the number " + step);
  }

  private static final class Builder {
    private final Definition definition;
    private final RunPath path;
    private final Map<Integer, Node> nodes = new LinkedHashMap<>();
    private final List<Edge> edges = new ArrayList<>();
    private final List<Group> groups = new ArrayList<>();

    Builder(Definition definition, RunPath path) {
      this.definition = definition;
      this.path = path;
    }

    void list(Block block, int depth, int group) {
      for (int number : block.steps()) {
        node(number, depth, group);
        edges(definition.step(number));
        inside(definition.step(number), depth, group);
      }
    }

    private void node(int number, int depth, int group) {
      Step step = definition.step(number);
      nodes.put(
          number,
          new Node(number, step.name(), step.type(), depth, group, path.steps().get(number)));
    }

    private void inside(Step step, int depth, int group) {
      switch (step) {
        case Step.Parallel parallel -> {
          for (Step.Parallel.Branch branch : parallel.branches()) {
            inside(step, branch.name(), branch.block(), depth, group);
          }
        }
        case Step.MapItems map ->
            inside(step, "for each of " + map.items(), map.block(), depth, group);
        case Step.Http _,
            Step.Choice _,
            Step.Wait _,
            Step.Callback _,
            Step.Child _,
            Step.Send _,
            Step.Transform _,
            Step.Fail _,
            Step.Succeed _ -> {}
      }
    }

    private void inside(Step step, String label, Block block, int depth, int outer) {
      int group = groups.size();
      groups.add(new Group(group, step.number(), cut(label), outer));
      edges.add(
          new Edge(
              step.number(),
              block.first(),
              Kind.INTO,
              null,
              path.steps().containsKey(block.first())));
      list(block, depth + 1, group);
    }

    private void edges(Step step) {
      int from = step.number();
      if (step instanceof Step.Choice choice) {
        choice.options().forEach(each -> add(from, each.next(), Kind.CHOICE, each.when()));
        if (choice.otherwise() != null) {
          add(from, choice.otherwise(), Kind.CHOICE, "default");
        }
      } else if (step.common().next() != null) {
        add(from, step.common().next(), Kind.NEXT, null);
      }
      for (Catch each : step.common().catches()) {
        add(from, each.next(), Kind.CATCH, String.join(", ", each.errors()));
      }
      Integer handler = step.common().compensate();
      if (handler != null) {
        edges.add(
            new Edge(
                from, handler, Kind.COMPENSATE, "compensate", path.steps().containsKey(handler)));
      }
    }

    private void add(int from, int to, Kind kind, @Nullable String label) {
      edges.add(
          new Edge(
              from,
              to,
              kind,
              label == null ? null : cut(label),
              path.followed().contains(new RunPath.Followed(from, to))));
    }

    /** Steps that no list has are handlers. */
    void handlers() {
      List<Integer> handlers = new ArrayList<>();
      for (Step step : definition.steps()) {
        if (!nodes.containsKey(step.number())) {
          handlers.add(step.number());
        }
      }
      if (handlers.isEmpty()) {
        return;
      }
      int group = groups.size();
      groups.add(new Group(group, null, "handlers", -1));
      for (int number : handlers) {
        node(number, 0, group);
        if (Objects.equals(definition.finallyStep(), number)) {
          Node node = Objects.requireNonNull(nodes.get(number));
          nodes.put(
              number,
              new Node(number, node.name(), node.type() + ", finally", 0, group, node.visit()));
        }
      }
    }

    private static String cut(String label) {
      String line = label.strip().replaceAll("\\s+", " ");
      return line.length() <= MAX_LABEL ? line : line.substring(0, MAX_LABEL - 1) + "…";
    }
  }
}
