package dev.postrider.engine.wiring;

import dev.postrider.task.TaskRunner;
import dev.postrider.task.TaskStore;
import dev.postrider.task.TaskWorks;
import dev.postrider.task.Tasks;
import dev.postrider.tenant.ApplicationStore;

/** The components of background tasks, which callers start and poll. */
record TaskParts(TaskStore store, TaskRunner runner) {
  static TaskParts of(
      Foundation base,
      Reporting reporting,
      Outbound outbound,
      Intake intake,
      ApplicationStore applications) {
    TaskStore store = new TaskStore(base.database(), base.time());
    TaskWorks.Parts parts =
        new TaskWorks.Parts(
            base.database(),
            applications,
            outbound.endpoints(),
            intake.checked(),
            reporting.statistics(base),
            base::queued,
            reporting.listener(),
            base.watermark(),
            base.time());
    return new TaskParts(
        store,
        new TaskRunner(
            base.database(),
            store,
            TaskWorks.all(parts),
            reporting.events(),
            base.instance(),
            base.time()));
  }

  /** Where tasks are started and read. */
  Tasks tasks(Foundation base) {
    return new Tasks(store, base.ids(), runner::wake);
  }
}
