package dev.postrider.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.accept.KeyTables;
import dev.postrider.testkit.Databases;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the tables themselves refuse (engine rule 10). */
class SchemaTest {
  @TempDir Path folder;

  private static String id(Database database, int n) {
    String hex = "%032x".formatted(n);
    return database.dialect() == Dialect.SQLITE ? "x'" + hex + "'" : "'" + hex + "'::uuid";
  }

  private static String bytes(Database database) {
    return database.dialect() == Dialect.SQLITE ? "x'00'" : "'\\x00'::bytea";
  }

  private static void refused(Database database, String sql) {
    assertThatThrownBy(() -> database.write(handle -> handle.execute(sql)))
        .as(sql)
        .isInstanceOf(StorageException.class)
        .satisfies(e -> assertThat(SqlFaults.of(e)).isEqualTo(SqlFaults.BAD_DATA));
  }

  private static void taken(Database database, String sql) {
    assertThat(database.<Integer>write(handle -> handle.execute(sql))).as(sql).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void statusColumnsTakeOnlyWhatTheyMean(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      for (int status : new int[] {-1, 6}) {
        refused(database, delivery(database, 1, status));
      }
      for (DeliveryStatus status : DeliveryStatus.values()) {
        taken(database, delivery(database, 10 + status.code(), status.code()));
      }
      refused(database, "UPDATE deliveries SET status = 7");
      refused(database, attempt(database, 1, 1, 10));
      refused(database, attempt(database, 1, 1, -1));
      taken(
          database,
          "INSERT INTO lanes (id, application_id, circuit) VALUES (%s, %s, 2)"
              .formatted(id(database, 1), id(database, 1)));
      refused(database, "UPDATE lanes SET circuit = 3");
      refused(
          database,
          "INSERT INTO api_keys (id, environment_id, name, prefix, hash, role, created_at) VALUES (%s, 'e', 'n', 'p', %s, 2, 1)"
              .formatted(id(database, 1), bytes(database)));
      refused(
          database,
          "INSERT INTO endpoints (id, application_id, url, on_dead_letter, created_at, updated_at) VALUES (%s, %s, 'u', 2, 1, 1)"
              .formatted(id(database, 1), id(database, 1)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void rowsOfWorkflowsTakeOnlyWhatTheyMean(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      String ofStep =
          "INSERT INTO deliveries (application_id, id, message_id, lane_id, status, created_at,"
              + " run_id, run_seq, run_epoch) VALUES (%s, %s, %s, %s, 0, 1, %s, %s, %s)";
      String one = id(database, 1);
      taken(database, ofStep.formatted(one, id(database, 2), one, one, one, "1", "0"));
      refused(database, ofStep.formatted(one, id(database, 3), one, one, one, "NULL", "0"));
      refused(database, ofStep.formatted(one, id(database, 4), one, one, one, "1", "NULL"));
      String run =
          "INSERT INTO workflow_runs (application_id, id, workflow_id, status, cause, start_key)"
              + " VALUES (%s, %s, %s, %s, %s, %s)";
      taken(database, run.formatted(one, id(database, 1), one, "0", "0", "'k'"));
      refused(database, run.formatted(one, id(database, 2), one, "7", "0", "NULL"));
      refused(database, run.formatted(one, id(database, 3), one, "0", "4", "NULL"));
      refused(database, run.formatted(one, id(database, 4), one, "0", "0", "'k'"));
      taken(database, run.formatted(id(database, 2), id(database, 5), one, "6", "3", "'k'"));
      refused(database, "UPDATE workflow_runs SET ending = 2");
      String row =
          "INSERT INTO workflow_history (application_id, run_id, seq, kind, at, run_status) VALUES"
              + " (%s, %s, %s, %s, 1, 0)";
      twice(database, row.formatted(one, one, "1", "10"));
      refused(database, row.formatted(one, one, "2", "20"));
    }
  }

  private static String delivery(Database database, int n, int status) {
    return "INSERT INTO deliveries (application_id, id, message_id, lane_id, status, created_at) VALUES (%s, %s, %s, %s, %d, 1)"
        .formatted(id(database, 1), id(database, n), id(database, 2), id(database, 3), status);
  }

  private static String attempt(Database database, int delivery, int number, int outcome) {
    return """
    INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome, latency_ms, sent_at, url)
    VALUES (%s, %s, %s, %d, %s, %s, false, %d, 1, 1, 'u')\
    """
        .formatted(
            id(database, 1),
            id(database, 2),
            id(database, delivery),
            number,
            id(database, 9),
            id(database, 3),
            outcome);
  }

  @ParameterizedTest
  @EnumSource
  void keysAreUnique(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      twice(database, delivery(database, 1, 0));
      twice(database, attempt(database, 1, 1, 0));
      taken(database, attempt(database, 1, 2, 0));
      for (String table : KeyTables.all()) {
        twice(
            database,
            "INSERT INTO %2$s (application_id, key, body, message_id, expires_at) VALUES (%1$s, %1$s, %1$s, %1$s, 1)"
                .formatted(id(database, 1), table));
      }
      twice(
          database,
          "INSERT INTO messages (application_id, id, event_type) VALUES (%1$s, %1$s, 'a')"
              .formatted(id(database, 1)));
      String eventId =
          "INSERT INTO event_ids (application_id, event_id, message_id) VALUES (%s, '%s', %s)";
      twice(database, eventId.formatted(id(database, 1), "e", id(database, 1)));
      taken(database, eventId.formatted(id(database, 1), "f", id(database, 1)));
      taken(database, eventId.formatted(id(database, 2), "e", id(database, 1)));
      String application =
          "INSERT INTO applications (id, environment_id, uid, name, created_at, updated_at,"
              + " deleted_at) VALUES (%s, 'e', 'u', 'n', 1, 1, %s)";
      taken(database, application.formatted(id(database, 1), "1"));
      taken(database, application.formatted(id(database, 2), "1"));
      taken(database, application.formatted(id(database, 3), "NULL"));
      refused(database, application.formatted(id(database, 4), "NULL"));
      String endpoint =
          "INSERT INTO endpoints (id, application_id, uid, url, created_at, updated_at, deleted_at)"
              + " VALUES (%s, %s, 'u', 'u', 1, 1, %s)";
      taken(database, endpoint.formatted(id(database, 1), id(database, 1), "1"));
      taken(database, endpoint.formatted(id(database, 2), id(database, 1), "NULL"));
      refused(database, endpoint.formatted(id(database, 3), id(database, 1), "NULL"));
    }
  }

  private static void twice(Database database, String sql) {
    taken(database, sql);
    refused(database, sql);
  }
}
