package dev.postrider.engine.wiring;

import dev.postrider.operational.OperationalReports;
import dev.postrider.task.Task;
import dev.postrider.task.TaskRunner;
import dev.postrider.task.TaskStatus;
import dev.postrider.task.TaskStore;
import dev.postrider.task.TaskWorks;
import dev.postrider.task.Tasks;
import dev.postrider.tenant.ApplicationStore;
import java.util.List;
import org.jdbi.v3.core.Handle;
import tools.jackson.databind.node.ObjectNode;

/** Background tasks that callers start and poll. */
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
            new Ends(reporting.reports()),
            base.instance(),
            base.time()));
  }

  /** Where tasks are started and read. */
  Tasks tasks(Foundation base) {
    return new Tasks(store, base.ids(), runner::wake);
  }

  /** Writes an operational event when a task ends, in the transaction that ends it. */
  private record Ends(OperationalReports reports) implements TaskRunner.EndReport {
    @Override
    public void ended(Handle handle, Task task, TaskStatus status, ObjectNode data) {
      reports.taskEnded(
          handle, task.environmentId(), task.id(), task.kind().shown(), status.text(), data);
    }

    @Override
    public void committed(Task task) {
      reports.committed(List.of(task.id()));
    }
  }
}
