package dev.postrider.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.MasterKey;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.TaskId;
import dev.postrider.json.Json;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.EnvironmentSpec;
import dev.postrider.tenant.JdbcDataKeyStore;
import dev.postrider.tenant.OperationalWebhooks;
import dev.postrider.tenant.RetentionSettings;
import dev.postrider.tenant.Secrecy;
import dev.postrider.tenant.datakey.ResealStore;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.OnEachDatabase;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Secrets that were stored before their application had a data key of its own. */
@OnEachDatabase
final class ResealWorkTest {
  private static final int ENDPOINTS = 230;

  @Parameter Databases.Kind kind;
  @TempDir Path folder;
  private final ManualTime time = new ManualTime();
  private Database database;
  private Fixture stores;

  @BeforeEach
  void open() {
    database = kind.open(folder);
    stores = new Fixture(database, time);
    stores.environments.ensureDefault();
  }

  @AfterEach
  void close() {
    database.close();
  }

  private Application application(String environment, String uid, int endpoints) {
    Application application =
        stores.applications.createOrGet(environment, ApplicationSpec.named(uid, uid)).value();
    for (int n = 0; n < endpoints; n++) {
      stores.endpoint(application, EndpointSpec.of("https://example.com/" + n));
    }
    return application;
  }

  private void switchOn(String environment) {
    stores.environments.update(
        environment,
        before ->
            new EnvironmentSpec(
                before.name(),
                before
                    .settings()
                    .with(false, null, RetentionSettings.NONE, new Secrecy(false, true))),
        stores.ids.next());
  }

  private Task task(@Nullable Id application) {
    return new Task(
        new TaskId(stores.ids.next()),
        Environment.DEFAULT_ID,
        ApplicationId.orNull(application),
        TaskKind.RESEAL,
        TaskStatus.RUNNING,
        Json.MAPPER.createObjectNode(),
        new Task.Progress(null, Json.MAPPER.createObjectNode(), false),
        1,
        Instant.EPOCH);
  }

  private ResealWork work(Keyring keyring) {
    return new ResealWork(
        stores.applications, new ResealStore(database, keyring, EndpointSecrets.SEALED), time);
  }

  private Task step(TaskWork work, Task task) throws Exception {
    TaskWork.Step step = work.next(task);
    Task.Progress progress = database.write(step::write);
    return new Task(
        task.id(),
        task.environmentId(),
        task.applicationId(),
        task.kind(),
        task.status(),
        task.input(),
        progress,
        task.leaseVersion(),
        task.updatedAt());
  }

  private int run(TaskWork work, Task task) throws Exception {
    Task after = task;
    for (int steps = 0; !after.progress().done(); steps++) {
      assertThat(steps).isLessThan(100);
      after = step(work, after);
    }
    return after.progress().data().path("resealed").asInt();
  }

  /** Secrets that are sealed with a data key of the environment. */
  private long shared(Application application) {
    List<byte[]> all =
        database.read(
            handle ->
                handle
                    .createQuery("SELECT sealed FROM signing_secrets WHERE application_id = :app")
                    .bind("app", application.id())
                    .map(Row.mapper(database.dialect(), row -> row.bytes("sealed")))
                    .list());
    return all.stream().filter(Keyring::isOfEnvironment).count();
  }

  @Test
  void allApplicationsOfAnEnvironmentAreSealedAgain() throws Exception {
    Application acme = application(Environment.DEFAULT_ID, "acme", ENDPOINTS);
    Application empty = application(Environment.DEFAULT_ID, "empty", 0);
    Application globex = application(Environment.DEFAULT_ID, "globex", 2);
    Application operational =
        new OperationalWebhooks(stores.applications).of(Environment.DEFAULT_ID);
    stores.endpoint(operational, EndpointSpec.of("https://example.com/operational"));
    stores.environments.ensure("env_other", "Other");
    Application other = application("env_other", "acme", 3);
    switchOn(Environment.DEFAULT_ID);
    Task task = task(null);
    time.advance(ResealWork.BEGINS_AFTER);

    assertThat(run(work(stores.keyring), task)).isEqualTo(ENDPOINTS + 3);

    for (Application one : List.of(acme, empty, globex, operational)) {
      assertThat(shared(one)).as("%s", one.spec().uid()).isZero();
    }
    assertThat(shared(other)).isEqualTo(3);
    assertThat(run(work(stores.keyring), task)).as("again").isZero();
  }

  @Test
  void oneApplicationIsSealedAgainAfterAWhile() throws Exception {
    Application acme = application(Environment.DEFAULT_ID, "acme", 3);
    Application globex = application(Environment.DEFAULT_ID, "globex", 2);
    switchOn(Environment.DEFAULT_ID);
    Task task = task(acme.id().value());
    ResealWork work = work(stores.keyring);
    Task waiting = step(work, task);
    assertThat(waiting.progress().done()).isFalse();
    assertThat(shared(acme)).isEqualTo(3);
    time.advance(ResealWork.BEGINS_AFTER);
    assertThat(run(work, waiting)).isEqualTo(3);
    assertThat(shared(acme)).isZero();
    assertThat(shared(globex)).isEqualTo(2);
  }

  @Test
  void whileTheMasterKeyIsAwayItWaits() throws Exception {
    Application acme = application(Environment.DEFAULT_ID, "acme", 3);
    switchOn(Environment.DEFAULT_ID);
    Task task = task(acme.id().value());
    time.advance(ResealWork.BEGINS_AFTER);
    SecureRandom random = new SecureRandom();
    Keyring stranger =
        new Keyring(
            MasterKey.generate(random, "other"),
            List.of(),
            new JdbcDataKeyStore(database),
            stores.ids,
            time,
            random);
    Task after = step(work(stranger), task);
    assertThat(after.progress()).isEqualTo(task.progress());
    assertThat(run(work(stores.keyring), after)).isEqualTo(3);
  }

  @Test
  void aSecretThatCannotBeReadStopsNoOther() throws Exception {
    Application acme = application(Environment.DEFAULT_ID, "acme", 3);
    switchOn(Environment.DEFAULT_ID);
    database.<Integer>write(
        handle ->
            handle.execute(
                "UPDATE signing_secrets SET owner_id = application_id WHERE id = (SELECT id FROM"
                    + " signing_secrets ORDER BY id LIMIT 1)"));
    Task task = task(acme.id().value());
    time.advance(ResealWork.BEGINS_AFTER);
    assertThat(run(work(stores.keyring), task)).isEqualTo(2);
    assertThat(shared(acme)).isEqualTo(1);
  }
}
