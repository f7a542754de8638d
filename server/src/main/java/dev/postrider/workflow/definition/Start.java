package dev.postrider.workflow.definition;

import dev.postrider.workflow.data.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What starts runs of a workflow, in addition to API, command line and parents.
 *
 * @param trigger messages of an application; null for none
 * @param filter the expression that a message must satisfy; null: every message starts a run
 * @param cron a schedule; null for none
 */
public record Start(@Nullable Trigger trigger, @Nullable String filter, @Nullable Cron cron) {
  /** Only API, command line and parents start it. */
  public static final Start MANUAL = new Start(null, null, null);

  /**
   * Messages that start runs.
   *
   * @param source whether the name is that of a source; otherwise it is the uid of an application
   * @param events event types and prefixes such as {@code order.*}; none means all
   */
  public record Trigger(boolean source, String name, List<String> events) {
    public Trigger {
      events = List.copyOf(events);
    }
  }

  /**
   * A schedule.
   *
   * @param overlap whether a run starts although an earlier one of the schedule has not ended
   * @param catchesUp whether missed ticks start one run
   * @param input the input of each run; null: an empty object
   */
  public record Cron(
      String schedule,
      String timezone,
      boolean overlap,
      boolean catchesUp,
      @Nullable JsonValue input) {}
}
