package dev.postrider.workflow.definition;

import java.util.List;

/**
 * Where a step continues after an error.
 *
 * @param errors words of {@link ErrorClass}, or names of errors of steps of the type fail
 * @param next the number of a step of the same list
 */
public record Catch(List<String> errors, int next) {
  public Catch {
    errors = List.copyOf(errors);
  }

  /**
   * Whether it takes an error of this class.
   *
   * @param error the class as {@code $error} has it: a word of {@link ErrorClass}, or the {@code
   *     error} of a step of the type fail
   */
  public boolean takes(String error) {
    return errors.contains(ErrorClass.ALL.word()) || errors.contains(error);
  }
}
