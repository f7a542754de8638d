package dev.postrider.configfile;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown when the configuration file has errors; nothing of it was applied. */
public final class BadFile extends RuntimeException {
  private final List<FileProblem> problems;

  public BadFile(List<FileProblem> problems) {
    super(problems.stream().map(FileProblem::toString).collect(Collectors.joining("\n")), null);
    this.problems = List.copyOf(problems);
  }

  public BadFile(FileProblem problem) {
    this(List.of(problem));
  }

  public List<FileProblem> problems() {
    return problems;
  }

  public List<String> lines() {
    return problems.stream().map(FileProblem::toString).toList();
  }
}
