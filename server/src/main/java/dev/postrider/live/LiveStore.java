package dev.postrider.live;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.OldRows;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/** Inserts, reads and deletes the stored events of the live feed. */
public final class LiveStore {
  private final Database database;

  public LiveStore(Database database) {
    this.database = database;
  }

  void insert(List<LiveEvent> batch) {
    database.write(
        handle -> {
          PreparedBatch rows =
              handle.prepareBatch(
                  """
                  INSERT INTO live_events (id, environment_id, application_id, session_id, kind, data)
                  VALUES (:id, :environment, :application, :session, :kind, :data)
                  ON CONFLICT DO NOTHING
                  """);
          for (LiveEvent event : batch) {
            rows.bind("id", event.id())
                .bind("environment", event.environmentId())
                .bind("application", event.applicationId())
                .bind("session", event.sessionId())
                .bind("kind", event.kind())
                .bind("data", event.data())
                .add();
          }
          return rows.execute().length;
        });
  }

  /** In order, starting after that id. */
  List<LiveEvent> after(Id from, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT id, environment_id, application_id, session_id, kind, data FROM live_events
                     WHERE id > :from ORDER BY id LIMIT :limit
                    """)
                .bind("from", from)
                .bind("limit", limit)
                .map(Row.mapper(database.dialect(), LiveStore::read))
                .list());
  }

  private static LiveEvent read(Row row) throws SQLException {
    return new LiveEvent(
        row.id("id"),
        row.text("environment_id"),
        row.id("application_id"),
        row.textOrNull("session_id"),
        row.text("kind"),
        row.text("data"));
  }

  Map<Id, String> environments(Collection<Id> applications) {
    Map<Id, String> found = new HashMap<>();
    if (!applications.isEmpty()) {
      database.read(
          handle -> {
            handle
                .createQuery("SELECT id, environment_id FROM applications WHERE id IN (<ids>)")
                .bindList("ids", List.copyOf(applications))
                .map(
                    Row.mapper(
                        database.dialect(),
                        row -> Map.entry(row.id("id"), row.text("environment_id"))))
                .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
            return found;
          });
    }
    return found;
  }

  /** The message and agent session of a delivery. */
  record Subject(Id messageId, @Nullable String sessionId) {}

  /** Of those deliveries that still exist. */
  Map<Id, Subject> subjects(Id application, Collection<Id> deliveries) {
    Map<Id, Subject> found = new HashMap<>();
    database.read(
        handle -> {
          handle
              .createQuery(
                  """
                  SELECT id, message_id, session_id FROM deliveries
                   WHERE application_id = :application AND id IN (<ids>)
                  """)
              .bind("application", application)
              .bindList("ids", List.copyOf(deliveries))
              .map(
                  Row.mapper(
                      database.dialect(),
                      row ->
                          Map.entry(
                              row.id("id"),
                              new Subject(row.id("message_id"), row.textOrNull("session_id")))))
              .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
          return found;
        });
    return found;
  }

  /** Until when clients may reconnect and ask for status changes. */
  long usedUntil() {
    return database.read(
        handle ->
            handle.createQuery("SELECT until FROM live_use WHERE id = 1").mapTo(Long.class).one());
  }

  void use(long untilMs) {
    database.write(
        handle ->
            handle
                .createUpdate("UPDATE live_use SET until = :until WHERE id = 1 AND until < :until")
                .bind("until", untilMs)
                .execute());
  }

  /** Deletes up to that many that are older, and returns the number of deleted rows. */
  public int prune(Instant before, int limit) {
    return OldRows.prune(database, "live_events", before, limit);
  }
}
