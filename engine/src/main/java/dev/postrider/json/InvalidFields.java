package dev.postrider.json;

import java.util.List;

/** Thrown when a request has invalid values; contains all of them. */
public final class InvalidFields extends RuntimeException {
  private final List<Problem> problems;

  public InvalidFields(List<Problem> problems) {
    super(problems.toString(), null, false, false);
    this.problems = List.copyOf(problems);
  }

  public InvalidFields(Problem problem) {
    this(List.of(problem));
  }

  public List<Problem> problems() {
    return problems;
  }
}
