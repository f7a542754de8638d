package dev.postrider.app;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.cli.Cli;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.Config;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.id.Id;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.storage.Database;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EarlierBuild;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** migrate, backup, restore and purge. */
class OperatingCommandsTest {
  @TempDir Path folder;
  private final Receiver receiver = new Receiver();
  private final Map<String, String> environment = new HashMap<>();
  private StringWriter out = new StringWriter();
  private StringWriter err = new StringWriter();

  @AfterEach
  void close() {
    receiver.close();
  }

  private int run(String... arguments) {
    out = new StringWriter();
    err = new StringWriter();
    Cli.Actions actions =
        new Cli.Actions(
            config -> 7,
            config -> 7,
            List.of(
                new MigrateCommand(),
                new BackupCommand(),
                new RestoreCommand(),
                new PurgeCommand(),
                new KeysCommand()));
    return new Cli(actions, environment, new PrintWriter(out), new PrintWriter(err)).run(arguments);
  }

  private JsonNode json() {
    return JsonMapper.builder().build().readTree(out.toString());
  }

  private Path data() {
    return folder.resolve("data");
  }

  private void sqlite() {
    environment.put("POSTRIDER_DATA_DIR", data().toString());
  }

  /** Some messages, delivered. */
  private void send(Engines engines, TestEngine engine, String name, int count) {
    Application application = engines.application(engine, name);
    engines.endpoint(engine, application, receiver.url("/" + name));
    int before = receiver.count();
    for (int i = 0; i < count; i++) {
      Engines.send(engine, application, "{}");
    }
    receiver.await(before + count);
    engines.await("recorded", () -> Engines.countNot(engine, DELIVERED) == 0);
  }

  @Test
  void migrateMakesTheSchemaAndSaysItsVersion() {
    sqlite();
    assertThat(run("migrate", "--json")).isZero();
    int version = json().get("schemaVersion").asInt();
    assertThat(version).isPositive();
    assertThat(run("migrate")).isZero();
    assertThat(out.toString()).contains("version is " + version);
  }

  @Test
  void commandsReadTheSettingsOfTheConfigurationFile() throws Exception {
    Path file = folder.resolve("postrider.yaml");
    Files.writeString(
        file,
        """
        settings: { data_dir: "%s" }
        sources:
          github: { verify: github, secret: "${NOT_SET_HERE}" }
        """
            .formatted(data()));
    String copy = folder.resolve("copy.db").toString();
    assertThat(run("migrate", "--config", file.toString())).as("%s", err).isZero();
    assertThat(data().resolve("postrider.db")).exists();
    environment.put("POSTRIDER_CONFIG", file.toString());
    try (Engines engines = new Engines(Databases.Kind.SQLITE, data())) {
      engines.start();
    }
    assertThat(run("purge", "--dry-run", "--json")).as("%s", err).isZero();
    assertThat(run("backup", copy)).as("%s", err).isZero();
    assertThat(run("restore", "--force", copy)).as("%s", err).isZero();
    assertThat(run("keys", "rotate-master")).as("%s", err).isZero();
    assertThat(out.toString()).contains("the master key is now");
    Files.writeString(file, "settings: { nothing: 2 }");
    assertThat(run("migrate")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains(file + ":1").contains("nothing");
  }

  /** The configured database, of which an earlier build could be the creator. */
  private Database database(Databases.Kind kind) {
    return switch (kind) {
      case SQLITE -> {
        sqlite();
        assertThat(run("migrate")).isZero();
        yield Databases.reopen(data().resolve("postrider.db"));
      }
      case POSTGRES -> {
        PostgresDatabase database = new PostgresDatabase(postgres());
        assertThat(run("migrate")).isZero();
        database.start();
        yield database;
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void aDatabaseOfAnEarlierBuildIsReportedByMigrateServeAndDoctor(Databases.Kind kind) {
    environment.put("POSTRIDER_PORT", "0");
    try (Database database = database(kind)) {
      EarlierBuild.imitate(database);
    }
    String problem = "was created by an earlier, unreleased build";
    String fix = kind == Databases.Kind.SQLITE ? "POSTRIDER_DATA_DIR" : "POSTRIDER_DATABASE_SCHEMA";
    assertThat(run("migrate")).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains(problem).contains(fix);
    assertThatThrownBy(
            () ->
                Serve.run(
                    Config.of(environment, Map.of()), new PrintStream(new ByteArrayOutputStream())))
        .isInstanceOf(UserError.class)
        .hasMessageContaining(problem)
        .hasMessageContaining(fix);
    assertThat(run("doctor", "--offline", "--json")).isEqualTo(ExitCode.FAILED);
    JsonNode check =
        out.toString()
            .lines()
            .map(line -> JsonMapper.builder().build().readTree(line))
            .filter(line -> line.get("check").asString().equals("database"))
            .findFirst()
            .orElseThrow();
    assertThat(check.get("verdict").asString()).isEqualTo("wrong");
    assertThat(check.get("text").asString()).contains(problem);
    assertThat(check.get("fix").asString()).contains(fix).contains("the build that created it");
  }

  @Test
  void aBackupOfAnEarlierBuildIsRefused() throws Exception {
    try (Database database = database(Databases.Kind.SQLITE)) {
      EarlierBuild.imitate(database);
    }
    Path copy = folder.resolve("copy.db");
    Files.copy(data().resolve("postrider.db"), copy);
    assertThat(run("restore", "--force", copy.toString())).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .contains(copy + " was created by an earlier, unreleased build")
        .contains("use a backup of a database that this build created");
    assertThat(run("backup", folder.resolve("next.db").toString())).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .contains("postrider.db was created by an earlier")
        .contains("use the build that created it")
        .doesNotContain("use a backup");
  }

  private DatabaseOptions.Postgres postgres() {
    DatabaseOptions.Postgres server = Databases.settings(Databases.freshSchema());
    environment.put(
        "POSTRIDER_DATABASE_URL",
        server.jdbcUrl().replace("jdbc:postgresql://", "postgres://postgres@"));
    environment.put("POSTRIDER_DATABASE_SCHEMA", server.schema());
    return server;
  }

  @Test
  void migrateWorksOnPostgres() {
    DatabaseOptions.Postgres server = postgres();
    assertThat(run("migrate")).isZero();
    assertThat(run("backup", folder.resolve("copy.db").toString())).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains("pg_dump").contains(server.schema());
    assertThat(run("restore", folder.resolve("copy.db").toString())).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains("pg_restore");
  }

  @Test
  void aBackupOfARunningServerIsRestoredElsewhereAndDelivers() throws Exception {
    sqlite();
    Path copy = folder.resolve("copy.db");
    try (Engines engines = new Engines(Databases.Kind.SQLITE, data())) {
      TestEngine engine = engines.start();
      send(engines, engine, "acme", 20);
      assertThat(run("backup", "--json", copy.toString())).as("%s", err).isZero();
      send(engines, engine, "later", 1);
    }
    assertThat(json().get("messages").asInt()).isEqualTo(20);
    assertThat(json().get("masterKeys")).hasSize(1);

    Path elsewhere = folder.resolve("elsewhere");
    Files.createDirectories(elsewhere);
    environment.put("POSTRIDER_DATA_DIR", elsewhere.toString());
    assertThat(run("restore", copy.toString())).as("without its key").isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).contains("master key").contains("POSTRIDER_MASTER_KEY");
    assertThat(elsewhere).as("no key was made up, nothing was restored").isEmptyDirectory();

    Files.copy(data().resolve("master.key"), elsewhere.resolve("master.key"));
    assertThat(run("restore", copy.toString())).as("%s", err).isZero();
    try (Engines engines = new Engines(Databases.Kind.SQLITE, elsewhere)) {
      TestEngine engine = engines.start();
      assertThat(Engines.count(engine, "messages")).isEqualTo(20);
      int before = receiver.count();
      Application acme = Engines.applications(engine).find(Environment.DEFAULT_ID, "acme");
      Engines.send(engine, acme, "{}");
      receiver.await(before + 1);
    }
  }

  @Test
  void aForeignMasterKeyIsRefused() throws Exception {
    sqlite();
    Path copy = folder.resolve("copy.db");
    try (Engines engines = new Engines(Databases.Kind.SQLITE, data())) {
      send(engines, engines.start(), "acme", 1);
    }
    assertThat(run("backup", copy.toString())).isZero();
    Path elsewhere = folder.resolve("elsewhere");
    environment.put("POSTRIDER_DATA_DIR", elsewhere.toString());
    environment.put("POSTRIDER_MASTER_KEY", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=");
    assertThat(run("restore", copy.toString())).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).contains("the configured master key is");
    assertThat(run("restore", "--without-master-key", copy.toString())).isZero();
    assertThat(elsewhere.resolve("postrider.db")).exists();
  }

  @Test
  void restoreDoesNotOverwriteAndRefusesADamagedFile() throws Exception {
    sqlite();
    assertThat(run("migrate")).isZero();
    Path copy = folder.resolve("copy.db");
    assertThat(run("backup", copy.toString())).isZero();
    assertThat(run("backup", copy.toString())).isEqualTo(ExitCode.USER_ERROR);
    assertThat(run("restore", copy.toString())).isEqualTo(ExitCode.USER_ERROR);
    assertThat(err.toString()).contains("--force");
    byte[] bytes = Files.readAllBytes(copy);
    Path damaged = folder.resolve("damaged.db");
    Files.write(damaged, java.util.Arrays.copyOf(bytes, bytes.length / 2));
    assertThat(run("restore", "--force", damaged.toString())).isEqualTo(ExitCode.FAILED);
    Files.writeString(damaged, "not a database at all");
    assertThat(run("restore", "--force", damaged.toString())).isEqualTo(ExitCode.FAILED);
    assertThat(data().resolve("postrider.db.replaced")).doesNotExist();
    assertThat(run("restore", "--force", copy.toString())).as("%s", err).isZero();
    assertThat(data().resolve("postrider.db.replaced")).exists();
    try (Engines engines = new Engines(Databases.Kind.SQLITE, data())) {
      engines.start();
      assertThat(run("restore", "--force", copy.toString())).isEqualTo(ExitCode.FAILED);
      assertThat(err.toString()).contains("in use");
    }
  }

  /** That the old one cannot be opened is the best reason to restore. */
  @Test
  void aDamagedDatabaseIsReplaced() throws Exception {
    sqlite();
    Path copy = folder.resolve("copy.db");
    try (Engines engines = new Engines(Databases.Kind.SQLITE, data())) {
      send(engines, engines.start(), "acme", 3);
    }
    assertThat(run("backup", copy.toString())).isZero();
    Path database = data().resolve("postrider.db");
    Files.writeString(database, "this was a database once, and it is none any more");
    Files.writeString(data().resolve("postrider.db-wal"), "its log");
    Files.writeString(data().resolve("postrider.db.replaced-wal"), "the log of an older one");

    assertThat(run("restore", "--force", copy.toString())).as("%s", err).isZero();

    assertThat(err.toString()).contains("damaged");
    assertThat(data().resolve("postrider.db.replaced")).content().startsWith("this was");
    assertThat(data().resolve("postrider.db.replaced-wal")).hasContent("its log");
    try (Engines engines = new Engines(Databases.Kind.SQLITE, data())) {
      assertThat(Engines.count(engines.start(), "messages")).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @EnumSource
  void purgeRemovesWhatWasDeletedAndNothingElse(Databases.Kind kind) {
    try (Engines engines = new Engines(kind, data())) {
      TestEngine engine = engines.start();
      send(engines, engine, "kept", 3);
      send(engines, engine, "gone", 7);
      Application kept = engines.application(engine, "kept");
      Endpoint second = engines.endpoint(engine, kept, receiver.url("/second"));
      int before = receiver.count();
      Engines.send(engine, kept, "{}");
      receiver.await(before + 2);
      engines.await("recorded", () -> Engines.countNot(engine, DELIVERED) == 0);
      engine
          .database()
          .write(
              handle ->
                  handle.execute(
                      """
                      INSERT INTO queues (id, application_id, name, visibility_timeout_ms, max_attempts, key_hash, created_at, updated_at)
                      SELECT id, id, 'q', 1000, 1, ?, 1, 1 FROM applications WHERE uid = 'gone'
                      """,
                      (Object) new byte[] {1}));
      engine.endpoints().delete(kept.id(), second.id().text());
      Engines.applications(engine).delete(Environment.DEFAULT_ID, "gone");
      engines.stop(engine);

      environment.putAll(Apps.environment(engines.database(), data()));
      assertThat(run("purge", "--dry-run", "--json")).as("%s", err).isZero();
      assertThat(json().get("applications").asInt()).isEqualTo(1);
      assertThat(json().get("endpoints").asInt()).isEqualTo(1);
      assertThat(json().get("deliveries").asInt()).isEqualTo(8);
      assertThat(run("purge", "--json")).as("%s", err).isZero();
      assertThat(json().get("messages").asInt()).isEqualTo(7);
      assertThat(json().get("deliveries").asInt()).isEqualTo(8);
      assertThat(json().get("attempts").asInt()).isEqualTo(8);
      assertThat(json().get("left").asInt()).isZero();

      try (Database database = engines.reopen()) {
        assertThat(count(database, "applications")).isEqualTo(1);
        assertThat(count(database, "endpoints")).isEqualTo(1);
        assertThat(count(database, "lanes")).isEqualTo(1);
        assertThat(count(database, "messages")).isEqualTo(4);
        assertThat(count(database, KNOWN_DELIVERIES)).isEqualTo(4);
        assertThat(count(database, "attempts")).isEqualTo(4);
        assertThat(count(database, "signing_secrets")).isEqualTo(1);
        assertThat(count(database, "queues")).isZero();
        assertThat(purges(database))
            .containsExactly(
                "application.purge env_default command_line",
                "endpoint.purge env_default command_line");
      }
      assertThat(run("purge")).isZero();
      assertThat(out.toString()).contains("purged 0 applications, 0 endpoints");
    }
  }

  @ParameterizedTest
  @EnumSource
  void purgeTakesTheRoutesThatWentWithAnEndpoint(Databases.Kind kind) {
    try (Engines engines = new Engines(kind, data())) {
      TestEngine engine = engines.start();
      Application acme = engines.application(engine, "acme");
      engines.endpoint(engine, acme, receiver.url("/kept"));
      Endpoint gone = engines.endpoint(engine, acme, receiver.url("/gone"));
      String goneText = gone.id().text();
      AgentRoute.Target bound = new AgentRoute.Target.OneEndpoint(goneText);
      AgentRoute named = requireNonNull(engine.agentRoutes().create(acme, route("invoice.paid")));
      engine.agentRoutes().create(acme, route("a.b").withTarget(bound));
      AgentRoute own =
          requireNonNull(
              engine
                  .agentRoutes()
                  .create(
                      acme,
                      route("c.d")
                          .withTarget(new AgentRoute.Target.OwnEndpoint(receiver.url("/own")))));
      AgentRoute live = requireNonNull(engine.agentRoutes().create(acme, route("e.f")));
      int before = receiver.count();
      Engines.send(engine, acme, "{}");
      receiver.await(before + 2);
      engines.await("recorded", () -> Engines.countNot(engine, DELIVERED) == 0);
      engine.agentRoutes().update(acme, named.id(), spec -> spec.withTarget(bound));
      engine.endpoints().delete(acme.id(), goneText);
      assertThat(engine.agentRoutes().delete(acme.id(), own.id())).isTrue();
      engines.stop(engine);

      environment.putAll(Apps.environment(engines.database(), data()));
      assertThat(run("purge", "--json")).as("%s", err).isZero();
      assertThat(json().get("endpoints").asInt()).isEqualTo(2);
      try (Database database = engines.reopen()) {
        assertThat(count(database, "endpoints")).isEqualTo(1);
        assertThat(
                database.<List<Id>>read(
                    handle ->
                        handle.createQuery("SELECT id FROM agent_routes").mapTo(Id.class).list()))
            .as("a delivery to the endpoint that is left names the first")
            .containsExactlyInAnyOrder(named.id().value(), live.id().value());
      }
    }
  }

  private static AgentRoute.Spec route(String type) {
    return new AgentRoute.Spec(
        "acme",
        type,
        new AgentRoute.Instructions(
            "look", null, null, null, Map.of(), AgentRoute.Profile.STANDARD),
        AgentRoute.Target.ALL);
  }

  private static List<String> purges(Database database) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT action || ' ' || environment_id || ' ' || actor_kind FROM audit WHERE"
                        + " action LIKE '%.purge' ORDER BY id")
                .mapTo(String.class)
                .list());
  }

  /** With a row or without one. */
  private static final String KNOWN_DELIVERIES =
      "(SELECT id FROM deliveries UNION SELECT delivery_id FROM attempts) AS known";

  private static long count(Database database, String table) {
    return database.read(
        handle -> handle.createQuery("SELECT count(*) FROM " + table).mapTo(Long.class).one());
  }

  @Test
  void eachCommandExplainsItselfWithAnExample() {
    for (String command : List.of("migrate", "backup", "restore", "purge")) {
      assertThat(run(command, "--help")).isZero();
      assertThat(out.toString()).contains("Examples:").contains("Exit codes:");
    }
  }
}
