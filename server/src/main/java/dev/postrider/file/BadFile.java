package dev.postrider.file;

import java.util.List;
import java.util.stream.Collectors;

/** The file cannot be used; nothing of it was. */
public final class BadFile extends RuntimeException {
  private final List<Problem> problems;

  public BadFile(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")), null);
    this.problems = List.copyOf(problems);
  }

  public BadFile(Problem problem) {
    this(List.of(problem));
  }

  public List<Problem> problems() {
    return problems;
  }

  public List<String> lines() {
    return problems.stream().map(Problem::toString).toList();
  }
}
