package dev.postrider.workflow.cron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.field.FieldValues;
import dev.postrider.storage.Database;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.workflow.Workflows;
import dev.postrider.workflow.definition.DefinitionReader;
import dev.postrider.workflow.loop.Definitions;
import dev.postrider.workflow.store.RunStore;
import dev.postrider.workflow.store.WorkflowStore;
import dev.postrider.workflow.store.WorkflowStore.Workflow;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Each tick of a schedule starts one run. */
@OnEachDatabase
final class WorkflowCronTest {
  private static final long HOUR = 3_600_000;

  @Parameter Databases.Kind kind;
  @TempDir Path folder;

  private final ManualTime time = new ManualTime();

  /** The full hour at which the clock of the test begins. */
  private final long began = time.nowMs();

  private Database database;
  private Workflows workflows;
  private WorkflowCron first;
  private WorkflowCron second;
  private RunStore runs;
  private int accepted;

  @BeforeEach
  void start() {
    database = kind.open(folder);
    Fixture stores = new Fixture(database, time);
    stores.environments.ensureDefault();
    workflows = new Workflows(database, stores.keyring, stores.applications, stores.ids, time);
    runs = new RunStore(database);
    first = cron(stores);
    second = cron(stores);
  }

  private WorkflowCron cron(Fixture stores) {
    Definitions definitions =
        new Definitions(
            new WorkflowStore(database, stores.ids, time),
            text -> DefinitionReader.read(DefinitionReader.values(text)));
    return new WorkflowCron(database, definitions, stores.ids, time, () -> accepted++);
  }

  @AfterEach
  void stop() {
    database.close();
  }

  private Workflow hourly(String more) {
    FieldValues values =
        DefinitionReader.values(
            "{\"name\":\"report\",\"cron\":{\"schedule\":\"0 * * * *\"%s},\"steps\":[{\"name\":\"a\",\"type\":\"succeed\"}]}"
                .formatted(more));
    return workflows.save(Environment.DEFAULT_ID, Workflows.Form.of(values, Map.of())).workflow();
  }

  private boolean hasRun(Workflow workflow, long tick) {
    return runs.byKey(workflow.applicationId(), "cron:" + tick) != null;
  }

  private void advanceTo(long ms) {
    time.advance(Duration.ofMillis(ms - time.nowMs()));
  }

  private void at(long ms) {
    advanceTo(ms);
    first.turn();
    second.turn();
  }

  @Test
  void aTickStartsOneRunOverAllInstances() {
    Workflow report = hourly(",\"overlap\":\"allow\"");
    at(began + HOUR - 1);
    assertThat(accepted).isZero();
    at(began + HOUR);
    assertThat(hasRun(report, began + HOUR)).isTrue();
    assertThat(accepted).isGreaterThanOrEqualTo(1);
    at(began + 2 * HOUR);
    assertThat(hasRun(report, began + 2 * HOUR)).isTrue();
    assertThat(hasRun(report, began)).isFalse();
    assertThat(count(report)).isEqualTo(2);
  }

  @Test
  void missedTicksFireOnce() {
    Workflow report = hourly("");
    at(began + 5 * HOUR + HOUR / 2);
    assertThat(hasRun(report, began + 5 * HOUR)).isTrue();
    assertThat(count(report)).isEqualTo(1);
  }

  @Test
  void missedTicksAreSkippedIfTheScheduleSaysSo() {
    Workflow report = hourly(",\"missed\":\"skip\"");
    at(began + 5 * HOUR + HOUR / 2);
    assertThat(count(report)).isZero();
    at(began + 6 * HOUR);
    assertThat(hasRun(report, began + 6 * HOUR)).isTrue();
  }

  @Test
  void overlapIsSkipped() {
    Workflow report = hourly("");
    at(began + HOUR);
    at(began + 2 * HOUR);
    assertThat(count(report)).as("the first has not ended").isEqualTo(1);
    database.write(handle -> handle.execute("UPDATE workflow_runs SET status = 3, ended_at = 1"));
    at(began + 3 * HOUR);
    assertThat(hasRun(report, began + 3 * HOUR)).isTrue();
    assertThat(hasRun(report, began + 2 * HOUR)).isFalse();
  }

  @Test
  void aDeletedOrChangedScheduleStartsWithItsNextTick() {
    Workflow report = hourly("");
    workflows.delete(Environment.DEFAULT_ID, "report");
    at(began + HOUR);
    assertThat(count(report)).isZero();
    advanceTo(began + 3 * HOUR + 1);
    hourly("");
    at(began + 3 * HOUR + 10_000);
    assertThat(count(report)).as("the ticks before it was created again").isZero();
    at(began + 4 * HOUR);
    assertThat(hasRun(report, began + 4 * HOUR)).isTrue();
  }

  private long count(Workflow workflow) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT count(*) FROM workflow_runs WHERE application_id = :app")
                .bind("app", workflow.applicationId())
                .mapTo(Long.class)
                .one());
  }
}
