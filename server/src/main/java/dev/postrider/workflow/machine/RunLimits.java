package dev.postrider.workflow.machine;

/**
 * The limits of a run.
 *
 * @param dataBytes of each value
 * @param rows of the history; more fail the run
 * @param liveSteps at the same time; others wait for one to end
 * @param items of a map
 * @param rowsOfTransition after which the rest of the work is another transition
 */
public record RunLimits(int dataBytes, int rows, int liveSteps, int items, int rowsOfTransition) {
  public static final RunLimits DEFAULT = new RunLimits(1024 * 1024, 100_000, 1_000, 10_000, 200);
}
