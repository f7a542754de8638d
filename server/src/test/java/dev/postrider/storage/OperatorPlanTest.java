package dev.postrider.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Calls about a few rows of a large table read a few rows on PostgreSQL (engine rule 29): a queue's
 * dead letters beside an application's, keys beside tokens of portals, the record of one object.
 */
@Timeout(180)
class OperatorPlanTest {
  private static final int ROWS = 30_000;

  @TempDir Path folder;

  @Test
  void queriesOfOperatorsOnLargeTablesUseAnIndex() throws Exception {
    String schema;
    try (Apps apps = new Apps(Databases.Kind.POSTGRES, folder)) {
      App app = apps.start();
      Database database = TestEngine.of(app.engine()).database();
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Other\",\"uid\":\"other\"}");
      apps.expect(app, 201, "POST", "/app/acme/queue", "{\"name\":\"q\"}");
      schema =
          database.read(
              handle -> handle.createQuery("SELECT current_schema()").mapTo(String.class).one());
      fill(database);
      for (int i = 0; i < 3; i++) {
        apps.expect(app, 200, "GET", "/app/acme/queue", "");
        apps.expect(app, 200, "POST", "/app/acme/queue/q/redrive", "");
        apps.expect(app, 200, "GET", "/auth/api-key?limit=2", "");
        apps.expect(app, 200, "GET", "/audit?object_id=o17", "");
        apps.expect(app, 200, "GET", "/audit?limit=2", "");
      }
      String task = apps.expect(app, 202, "POST", "/app/other/redrive", "{}").text("/id");
      apps.await(
          "the dead letters of other are redriven",
          () ->
              apps.expect(app, 200, "GET", "/background-task/" + task, "")
                  .text("/status")
                  .equals("finished"));
      apps.expect(app, 204, "DELETE", "/app/other", "");
    }
    Map<String, Long> reads = reads(schema);
    for (String table : List.of("deliveries", "api_keys", "audit")) {
      assertThat(reads.get(table)).as("%s of %s", table, reads).isLessThan(ROWS / 3L);
    }
  }

  private static void fill(Database database) {
    for (String sql :
        List.of(
            StoredCodes.sql(
                """
                INSERT INTO deliveries (application_id, id, message_id, lane_id, status, created_at, finished_at, dead_at)
                SELECT (SELECT id FROM applications WHERE uid = 'acme'), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), {DEAD_LETTER}, n, n, n
                  FROM generate_series(1, <rows>) n
                """),
            """
            INSERT INTO api_keys (id, environment_id, application_id, name, prefix, hash, role, created_at, expires_at, capabilities)
            SELECT gen_random_uuid(), 'env_default', gen_random_uuid(), 'portal', 'p', uuid_send(gen_random_uuid()), 0, n, n, ''
              FROM generate_series(1, <rows>) n
            """,
            """
            INSERT INTO audit (id, environment_id, actor_kind, action, object_kind, object_id)
            SELECT gen_random_uuid(), 'env_default', 'server', 'message.expunge', 'message', 'o' || n
              FROM generate_series(1, <rows>) n
            """,
            "ANALYZE deliveries, api_keys, audit")) {
      database.write(handle -> handle.execute(sql.replace("<rows>", Integer.toString(ROWS))));
    }
  }

  /** A session tells its counts at the latest when it ends. */
  private static Map<String, Long> reads(String schema) throws Exception {
    DatabaseOptions.Postgres settings = Databases.settings(schema);
    Map<String, Long> reads = new HashMap<>();
    try (Connection connection =
            DriverManager.getConnection(settings.jdbcUrl(), settings.user(), null);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT t.relname, t.seq_tup_read + coalesce((SELECT sum(i.idx_tup_read) FROM"
                    + " pg_stat_user_indexes i WHERE i.relid = t.relid), 0) FROM"
                    + " pg_stat_user_tables t WHERE t.schemaname = '"
                    + schema
                    + "'")) {
      while (row.next()) {
        reads.put(row.getString(1), row.getLong(2));
      }
    }
    return reads;
  }
}
