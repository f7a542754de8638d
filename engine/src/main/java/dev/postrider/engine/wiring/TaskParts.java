package dev.postrider.engine.wiring;

import dev.postrider.crypto.SealedColumn;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.id.TaskId;
import dev.postrider.json.Json;
import dev.postrider.queue.QueueTokenStore;
import dev.postrider.task.TaskCreated;
import dev.postrider.task.TaskKind;
import dev.postrider.task.TaskRunner;
import dev.postrider.task.TaskStore;
import dev.postrider.task.TaskWorks;
import dev.postrider.task.Tasks;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.OwnDataKeyChosen;
import dev.postrider.tenant.datakey.ResealStore;
import dev.postrider.tenant.key.IntegrationStore;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** The components of background tasks, which callers start and poll. */
record TaskParts(TaskStore store, TaskRunner runner, ResealStore reseals) {
  static TaskParts of(
      Foundation base,
      Reporting reporting,
      Outbound outbound,
      Intake intake,
      ApplicationStore applications) {
    TaskStore store = new TaskStore(base.database(), base.time());
    ResealStore reseals = new ResealStore(base.database(), base.keyring(), sealedColumns());
    reporting
        .events()
        .inTransaction(
            OwnDataKeyChosen.class, (handle, chosen) -> reseal(base, store, handle, chosen));
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
            reseals,
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
    return new TaskParts(store, runner, reseals);
  }

  private static List<SealedColumn> sealedColumns() {
    List<SealedColumn> columns = new ArrayList<>(EndpointSecrets.SEALED);
    columns.add(IntegrationStore.SEALED);
    columns.add(QueueTokenStore.SEALED);
    return columns;
  }

  private static void reseal(
      Foundation base, TaskStore store, Handle handle, OwnDataKeyChosen chosen) {
    store.insert(
        handle,
        new TaskId(base.ids().next()),
        chosen.environmentId(),
        chosen.applicationId(),
        TaskKind.RESEAL,
        Json.MAPPER.createObjectNode());
  }

  /** Where tasks are started and read. */
  Tasks tasks(Foundation base, Reporting reporting) {
    return new Tasks(store, base.ids(), reporting.events());
  }
}
