package dev.postrider.workflow.definition;

import dev.postrider.id.Id;
import dev.postrider.workflow.data.Masking;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A version of a workflow, checked.
 *
 * @param versionId {@link Id#ZERO} until it is stored
 * @param number of the version, from 1; 0 until it is stored
 * @param timeout of a run
 * @param compensationTimeout of all compensation of a run
 * @param maxVisits how often a run may begin the same step in the same scope
 * @param main the list of the run
 * @param steps all steps by number, depth first: the main list, lists in their steps, handlers
 * @param finallyStep the handler that runs at the end; null for none
 */
public record Definition(
    String name,
    Id versionId,
    int number,
    Start start,
    Params params,
    Duration timeout,
    Duration compensationTimeout,
    int maxVisits,
    Block main,
    List<Step> steps,
    @Nullable Integer finallyStep,
    Masking masking) {

  public Definition {
    steps = List.copyOf(steps);
  }

  public Step step(int number) {
    return steps.get(number);
  }

  /** The step of this name, anywhere in the workflow; null if there is none. */
  public @Nullable Step step(String name) {
    for (Step step : steps) {
      if (step.name().equals(name)) {
        return step;
      }
    }
    return null;
  }

  /** The same, as a stored version. */
  public Definition stored(Id version, int versionNumber) {
    return new Definition(
        name,
        version,
        versionNumber,
        start,
        params,
        timeout,
        compensationTimeout,
        maxVisits,
        main,
        steps,
        finallyStep,
        masking);
  }
}
