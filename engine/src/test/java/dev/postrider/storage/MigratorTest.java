package dev.postrider.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EarlierBuild;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.TestEngine;
import dev.postrider.testkit.TestOptions;
import dev.postrider.time.SystemTime;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MigratorTest {
  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void aSecondRunChangesNothing(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      database.migrate();
      assertThat(versions(database)).isEqualTo(Migrator.newest());
      assertThat(
              database.<Long>read(
                  handle ->
                      handle
                          .createQuery("SELECT count(*) FROM schema_version")
                          .mapTo(Long.class)
                          .one()))
          .isEqualTo(Migrator.newest());
    }
  }

  private static int versions(Database database) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT max(version) FROM schema_version")
                .mapTo(Integer.class)
                .one());
  }

  @ParameterizedTest
  @EnumSource
  void aNewerSchemaIsRefusedWithTheFix(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      database.write(
          handle ->
              handle.execute("INSERT INTO schema_version VALUES (999, 'V999__later.sql', '', 1)"));
      assertThatThrownBy(database::migrate)
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("schema version 999")
          .hasMessageContaining("start a newer Postrider");
    }
  }

  private static String[] names(Databases.Kind kind, Database database) {
    return switch (kind) {
      case SQLITE -> new String[] {((SqliteDatabase) database).file().toString(), "(path)"};
      case POSTGRES ->
          new String[] {
            "PostgreSQL schema "
                + database.<String>read(
                    handle ->
                        handle.createQuery("SELECT current_schema()").mapTo(String.class).one()),
            "(schema)"
          };
    };
  }

  @ParameterizedTest
  @EnumSource
  void aDatabaseOfAnEarlierBuildIsRefusedAndNotChanged(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      EarlierBuild.imitate(database);
      assertThatThrownBy(database::migrate)
          .isInstanceOf(SchemaMismatch.class)
          .hasMessageContaining("was created by an earlier, unreleased build")
          .hasMessageContaining("cannot be upgraded")
          .hasMessageContaining("use the build that created it")
          .hasMessageContainingAll(names(kind, database));
      assertThat(versions(database)).isEqualTo(12);
    }
  }

  /** Until the first release a schema change edits the file that such a database was made with. */
  @ParameterizedTest
  @EnumSource
  void aDatabaseThatWasMadeWithOtherStatementsIsRefused(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      database.write(handle -> handle.execute("UPDATE schema_version SET checksum = 'other'"));
      assertThatThrownBy(database::migrate)
          .isInstanceOf(SchemaMismatch.class)
          .hasMessageContaining("was created by another, unreleased build")
          .hasMessageContainingAll(names(kind, database));
    }
  }

  @Test
  void onlyTheStatementsDecideTheChecksum() {
    String sql = "CREATE TABLE a (\n  id  integer\n);\nINSERT INTO a VALUES (1);\n";
    String checksum = checksum(sql);
    String commented =
        "-- why\nCREATE TABLE a (\n  -- a number\n  id integer\n);\n\nINSERT INTO a VALUES (1);\n";
    assertThat(checksum(commented)).isEqualTo(checksum);
    assertThat(checksum(sql.replace("integer", "bigint"))).isNotEqualTo(checksum);
    assertThat(checksum(sql.replace("(1)", "(2)"))).isNotEqualTo(checksum);
  }

  private static String checksum(String sql) {
    return Migrator.checksum(Migrator.statements(sql));
  }

  /**
   * The refusal must not keep the folder: the newer program is started next, in the same process
   * here.
   */
  @Test
  void aRefusedStartReleasesTheDataFolder() {
    Path file = folder.resolve("postrider.db");
    try (TestEngine engine = open(file)) {
      engine
          .database()
          .write(
              handle ->
                  handle.execute(
                      "INSERT INTO schema_version VALUES (999, 'V999__later.sql', '', 1)"));
      engine.start();
    }
    assertThatThrownBy(() -> open(file)).hasMessageContaining("schema version 999");
    SqliteDatabase again = new SqliteDatabase(file, false, () -> 0);
    again.start();
    again.close();
  }

  private TestEngine open(Path file) {
    return TestEngine.open(
        new DatabaseOptions.Sqlite(file, false),
        TestOptions.engine(folder),
        DeliveryListener.NONE,
        new SystemTime());
  }

  @Test
  void manyStartAtOnceOnAnEmptyServer() throws Exception {
    for (int round = 0; round < 5; round++) {
      String schema = Databases.freshSchema();
      CyclicBarrier start = new CyclicBarrier(4);
      List<PostgresDatabase> opened = new ArrayList<>();
      try (ExecutorService starters = Executors.newFixedThreadPool(4)) {
        List<Future<PostgresDatabase>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          all.add(
              starters.submit(
                  () -> {
                    PostgresDatabase database = new PostgresDatabase(Databases.settings(schema));
                    start.await();
                    database.start();
                    database.migrate();
                    return database;
                  }));
        }
        for (Future<PostgresDatabase> one : all) {
          opened.add(one.get());
        }
      }
      assertThat(opened).allMatch(database -> versions(database) == Migrator.newest());
      opened.forEach(PostgresDatabase::close);
    }
  }

  @Test
  void noObjectIsCreatedOutsideTheSchema() throws Exception {
    DatabaseOptions.Postgres settings = Databases.settings(Databases.freshSchema());
    try (Connection connection =
        DriverManager.getConnection(settings.jdbcUrl(), settings.user(), null)) {
      List<String> before = objects(connection, settings.schema());
      try (Engines engines = new Engines(Databases.Kind.POSTGRES, folder)) {
        engines.start();
      }
      PostgresDatabase database = new PostgresDatabase(settings);
      database.start();
      database.migrate();
      database.close();
      assertThat(objects(connection, settings.schema()))
          .as("other schemas of tests apart")
          .isEqualTo(before);
      assertThat(
              count(
                  connection,
                  "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '"
                      + settings.schema()
                      + "' AND c.relkind = 'r'"))
          .isGreaterThan(10);
    }
  }

  private static List<String> objects(Connection connection, String ours) throws Exception {
    List<String> names = new ArrayList<>();
    String sql =
        "SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname <> '"
            + ours
            + "' AND n.nspname NOT LIKE 't\\_%' AND n.nspname NOT LIKE 'pg\\_toast%' ORDER BY 1";
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    return names;
  }

  private static long count(Connection connection, String sql) throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** A user who may use the schema but not make one, as careful administrators set it up. */
  @Test
  void anExistingSchemaNeedsNoRightOnTheDatabase() throws Exception {
    String schema = Databases.freshSchema();
    DatabaseOptions.Postgres owner = Databases.settings(schema);
    String user = "u_" + schema.substring(2, 12);
    try (Connection connection = DriverManager.getConnection(owner.jdbcUrl(), owner.user(), null);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE ROLE " + user + " LOGIN");
      statement.execute("CREATE SCHEMA " + schema + " AUTHORIZATION " + user);
    }
    PostgresDatabase database =
        new PostgresDatabase(
            new DatabaseOptions.Postgres(owner.jdbcUrl(), user, owner.password(), schema, 2));
    database.start();
    database.migrate();
    assertThat(versions(database)).isEqualTo(Migrator.newest());
    database.close();
  }

  @Test
  void aSchemaNameThatWouldNeedQuotesIsRefused() {
    assertThatThrownBy(() -> new PostgresDatabase(Databases.settings("Bad-Name")))
        .hasMessageContaining("schema must be lower-case");
  }
}
