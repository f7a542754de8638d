package dev.postrider.workflow.definition;

import java.util.List;

/**
 * A list of steps: of the run, of a branch, of the items of a map. It begins with its first step
 * and ends after a step without a next one.
 *
 * @param steps their numbers, in order; at least one
 */
public record Block(List<Integer> steps) {
  public Block {
    steps = List.copyOf(steps);
    if (steps.isEmpty()) {
      throw new IllegalArgumentException("a list of steps needs at least one");
    }
  }

  public int first() {
    return steps.getFirst();
  }
}
