package dev.postrider.alert;

import dev.postrider.delivery.StoredCodes;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the names and ids that alerts show. */
final class AlertStore {
  private final Database database;

  AlertStore(Database database) {
    this.database = database;
  }

  /** An application with its display name. */
  record Owner(String environmentId, String name) {}

  @Nullable Owner owner(Id applicationId) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT environment_id, coalesce(uid, name) AS shown FROM applications"
                            + " WHERE id = :id")
                    .bind("id", applicationId)
                    .map(
                        Row.mapper(
                            database.dialect(),
                            row -> new Owner(row.text("environment_id"), row.text("shown"))))
                    .findOne())
        .orElse(null);
  }

  /**
   * A lane that is not blocked although its oldest delivery is overdue, and since when it is due.
   */
  record Late(Id applicationId, Id laneId, long dueMs) {}

  /** Among these lanes; the index on due deliveries needs one probe for each. */
  List<Late> late(List<Id> lanes, long beforeMs) {
    if (lanes.isEmpty()) {
      return List.of();
    }
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        StoredCodes.sql(
                            """
                            SELECT l.application_id, l.id, (SELECT min(d.next_attempt_at) FROM deliveries d
                                     WHERE d.application_id = l.application_id AND d.lane_id = l.id AND d.next_attempt_at IS NOT NULL) AS due
                              FROM lanes l WHERE l.id IN (<ids>) AND l.paused = :no AND l.circuit = {CLOSED}
                            """))
                    .bindList("ids", lanes)
                    .bind("no", false)
                    .map(
                        Row.mapper(
                            database.dialect(),
                            row ->
                                new Late(
                                    row.id("application_id"),
                                    row.id("id"),
                                    orNever(row.numberOrNull("due")))))
                    .list())
        .stream()
        .filter(late -> late.dueMs() < beforeMs)
        .toList();
  }

  private static long orNever(@Nullable Long due) {
    return due == null ? Long.MAX_VALUE : due;
  }
}
