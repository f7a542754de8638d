package dev.postrider.workflow.definition;

import dev.postrider.workflow.data.ResultPath;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What every step has.
 *
 * @param number its index in {@link Definition#steps}
 * @param next the step after this one: that of {@code next}, otherwise the following one of its
 *     list; null if the list ends with this step
 * @param input the expression of its input; null: the data
 * @param resultPath where its result is put in the data
 * @param output the expression of the data after it; null: the data with the result
 * @param continues {@code on_failure: continue}
 * @param catches in order; the first that takes an error counts
 * @param compensate the handler that undoes it; null for none
 */
public record Common(
    int number,
    String name,
    @Nullable Integer next,
    @Nullable String input,
    ResultPath resultPath,
    @Nullable String output,
    boolean continues,
    List<Catch> catches,
    @Nullable Integer compensate) {

  public Common {
    catches = List.copyOf(catches);
  }

  /** The first catch that takes an error of this class; null if none does. */
  public @Nullable Catch caught(String error) {
    for (Catch each : catches) {
      if (each.takes(error)) {
        return each;
      }
    }
    return null;
  }
}
