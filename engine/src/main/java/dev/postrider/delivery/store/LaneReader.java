package dev.postrider.delivery.store;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.rowless.RowlessReader;
import dev.postrider.endpoint.EndpointHealth;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.LaneId;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Reads the state of the lane of an endpoint. Counts of pending deliveries are bounded. */
public final class LaneReader {
  /** Pending deliveries are counted up to this; more are shown as this many. */
  public static final int MAX_COUNTED = 10_000;

  private final Database database;
  private final RowlessReader rowless;

  public LaneReader(Database database) {
    this.database = database;
    this.rowless = new RowlessReader(database.dialect());
  }

  /**
   * The state of a lane. Times are null for never.
   *
   * @param waiting at most {@link #MAX_COUNTED}
   */
  public record Health(
      EndpointHealth health,
      Circuit circuit,
      int consecutiveFailures,
      @Nullable Long openUntilMs,
      @Nullable Long lastSuccessAtMs,
      @Nullable Long lastFailureAtMs,
      @Nullable Long failingSinceMs,
      boolean paused,
      int waiting) {}

  /** The application of an endpoint or a queue, also of a deleted one; null if it is unknown. */
  public @Nullable ApplicationId applicationOf(LaneId laneId) {
    return database
        .read(
            handle ->
                handle
                    .createQuery("SELECT application_id FROM lanes WHERE id = :lane")
                    .bind("lane", laneId)
                    .mapTo(Id.class)
                    .findOne())
        .map(ApplicationId::new)
        .orElse(null);
  }

  /** Null if the lane does not exist. */
  public @Nullable Health health(ApplicationId applicationId, LaneId laneId) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT <health> AS health, l.circuit, l.failures, l.open_until, l.last_success_at, l.last_failure_at,
                               l.failing_since, l.paused
                          FROM lanes l JOIN endpoints e ON e.id = l.id
                         WHERE l.id = :lane AND l.application_id = :application
                        """
                            .replace("<health>", EndpointHealth.SQL))
                    .bind("lane", laneId)
                    .bind("application", applicationId)
                    .map(
                        Row.mapper(
                            database.dialect(),
                            row ->
                                new Health(
                                    EndpointHealth.of(row.text("health")),
                                    Circuit.of(row.integer("circuit")),
                                    row.integer("failures"),
                                    row.number("open_until") == 0 ? null : row.number("open_until"),
                                    later(
                                        row.numberOrNull("last_success_at"),
                                        lastSuccess(handle, applicationId, laneId)),
                                    later(
                                        row.numberOrNull("last_failure_at"),
                                        lastFailure(handle, applicationId, laneId)),
                                    row.numberOrNull("failing_since"),
                                    row.flag("paused"),
                                    waiting(handle, applicationId, laneId))))
                    .findOne())
        .orElse(null);
  }

  private static @Nullable Long later(@Nullable Long kept, @Nullable Long seen) {
    return kept == null ? seen : seen == null ? kept : Long.valueOf(Math.max(kept, seen));
  }

  /** The lane drops its failures when it recovers, the attempts keep them. */
  private static @Nullable Long lastFailure(
      Handle handle, ApplicationId applicationId, LaneId laneId) {
    return handle
        .createQuery(
            StoredCodes.sql(
                """
                SELECT sent_at + latency_ms FROM attempts
                 WHERE application_id = :application AND lane_id = :lane AND outcome <> {SUCCESS} AND outcome <> {VOID} ORDER BY id DESC LIMIT 1
                """))
        .bind("application", applicationId)
        .bind("lane", laneId)
        .mapTo(Long.class)
        .findOne()
        .orElse(null);
  }

  /** A healthy lane is not written for a success; a run of failures is scanned, up to a limit. */
  private static @Nullable Long lastSuccess(
      Handle handle, ApplicationId applicationId, LaneId laneId) {
    return handle
        .createQuery(
            StoredCodes.sql(
                """
                SELECT sent_at + latency_ms FROM (SELECT id, outcome, sent_at, latency_ms FROM attempts
                 WHERE application_id = :application AND lane_id = :lane AND outcome <> {VOID} ORDER BY id DESC LIMIT :most) AS newest
                 WHERE outcome = {SUCCESS} ORDER BY id DESC LIMIT 1
                """))
        .bind("application", applicationId)
        .bind("lane", laneId)
        .bind("most", MAX_COUNTED)
        .mapTo(Long.class)
        .findOne()
        .orElse(null);
  }

  private static int waiting(Handle handle, ApplicationId applicationId, LaneId laneId) {
    return counted(
        handle, applicationId, laneId, "SELECT count(*) FROM (SELECT 1 <waiting>) AS bounded");
  }

  private static int retrying(Handle handle, ApplicationId applicationId, LaneId laneId) {
    return counted(
        handle,
        applicationId,
        laneId,
        StoredCodes.sql(
            "SELECT count(*) FROM (SELECT status <waiting>) AS bounded WHERE status = {FAILED}"));
  }

  private static int counted(
      Handle handle, ApplicationId applicationId, LaneId laneId, String sql) {
    return handle
        .createQuery(
            sql.replace(
                "<waiting>",
                "FROM deliveries WHERE application_id = :application AND lane_id = :lane AND"
                    + " next_attempt_at IS NOT NULL LIMIT :most"))
        .bind("application", applicationId)
        .bind("lane", laneId)
        .bind("most", MAX_COUNTED)
        .mapTo(Integer.class)
        .one();
  }

  /**
   * The unfinished deliveries, each count at most {@link #MAX_COUNTED}.
   *
   * @param retrying pending ones that failed before
   * @param sending leased, not pending
   */
  public record OnTheWay(int waiting, int retrying, int sending) {}

  public OnTheWay onTheWay(ApplicationId applicationId, LaneId laneId) {
    return database.snapshot(
        handle ->
            new OnTheWay(
                waiting(handle, applicationId, laneId),
                retrying(handle, applicationId, laneId),
                sending(handle, applicationId, laneId)));
  }

  private int sending(Handle handle, ApplicationId applicationId, LaneId laneId) {
    int withoutRow = rowless.sending(handle, rowless.leasedTo(handle, laneId.value())).size();
    return Math.min(MAX_COUNTED, withoutRow + claimed(handle, applicationId, laneId));
  }

  private static int claimed(Handle handle, ApplicationId applicationId, LaneId laneId) {
    return handle
        .createQuery(
            """
            SELECT count(*) FROM (SELECT 1 FROM deliveries
             WHERE application_id = :application AND lane_id = :lane AND lease_until IS NOT NULL LIMIT :most) AS bounded
            """)
        .bind("application", applicationId)
        .bind("lane", laneId)
        .bind("most", MAX_COUNTED)
        .mapTo(Integer.class)
        .one();
  }

  /**
   * The number of pending deliveries of all lanes of the application, at most {@link #MAX_COUNTED}.
   */
  public int waitingOf(ApplicationId applicationId) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT count(*) FROM (SELECT 1 FROM lanes l JOIN deliveries d ON d.application_id = :application AND d.lane_id = l.id
                     WHERE l.application_id = :application AND d.next_attempt_at IS NOT NULL LIMIT :most) AS bounded
                    """)
                .bind("application", applicationId)
                .bind("most", MAX_COUNTED)
                .mapTo(Integer.class)
                .one());
  }
}
