package dev.postrider.engine.wiring;

import dev.postrider.task.TaskCreated;
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
            reporting.events(),
            reporting.listener(),
            base.watermark(),
            base.time());
    TaskRunner runner =
        new TaskRunner(
            base.database(),
            store,
            TaskWorks.all(parts),
            reporting.events(),
            base.instance(),
            base.time());
    reporting.events().afterCommit(TaskCreated.class, _ -> runner.wake());
    return new TaskParts(store, runner);
  }

  /** Where tasks are started and read. */
  Tasks tasks(Foundation base, Reporting reporting) {
    return new Tasks(store, base.ids(), reporting.events());
  }
}
