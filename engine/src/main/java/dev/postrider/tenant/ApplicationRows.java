package dev.postrider.tenant;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.IdKind;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The statements on an application's row that other stores share; all run in the caller's
 * transaction.
 */
public final class ApplicationRows {
  /** With the settings of the environment, also for an application that callers cannot see. */
  static final String COLUMNS =
      "id, environment_id, uid, name, metadata, throttle_rate, active, settings, routing_version,"
          + " created_at, updated_at, (SELECT e.settings FROM environments e WHERE e.id = "
          + HiddenEnvironments.visibleSql("applications.environment_id")
          + ") AS environment_settings";

  private ApplicationRows() {}

  /**
   * Locks the active application until the transaction ends and notifies all instances that its
   * routing changed.
   *
   * @return the application with the new version; empty if there is no active one
   */
  public static Optional<Application> lockAndBump(
      Handle handle, Dialect dialect, ApplicationId applicationId) {
    int locked =
        handle
            .createUpdate(
                """
                UPDATE applications SET routing_version = routing_version + 1
                WHERE id = :id AND deleted_at IS NULL
                """)
            .bind("id", applicationId)
            .execute();
    return locked == 0 ? Optional.empty() : byId(handle, dialect, applicationId);
  }

  /**
   * Raises the application's grant where the endpoint needs more.
   *
   * @param application locked by the transaction
   */
  public static void raiseGrant(
      Handle handle, Application application, Grant endpoint, long nowMs) {
    ApplicationSettings settings = application.spec().settings();
    if (settings.grant().covers(endpoint)) {
      return;
    }
    handle
        .createUpdate(
            "UPDATE applications SET settings = :settings, updated_at = :now WHERE id = :id")
        .bind("settings", settings.with(settings.grant().raisedTo(endpoint)).encode())
        .bind("now", nowMs)
        .bind("id", application.id())
        .execute();
    bumpEndpoints(handle, application.id());
  }

  /**
   * Sets the event TTL that the endpoints and queues of an application have by default.
   *
   * @param ttlMs null for that of the server
   */
  public static void setEventTtl(
      Handle handle, ApplicationId applicationId, @Nullable Integer ttlMs) {
    handle
        .createUpdate(
            """
            UPDATE applications SET event_ttl_ms = :ttl, routing_version = routing_version + 1
             WHERE id = :id AND event_ttl_ms IS DISTINCT FROM CAST(:ttl AS integer)
            """)
        .bind("id", applicationId)
        .bindByType("ttl", ttlMs, Integer.class)
        .execute();
  }

  /**
   * Senders cache the configuration of an endpoint by its version, and the retry policy and grant
   * of the application are part of it: the next attempt has to use the new ones (engine rule 26).
   */
  static void bumpEndpoints(Handle handle, ApplicationId applicationId) {
    handle
        .createUpdate(
            "UPDATE endpoints SET version = version + 1 WHERE application_id = :id AND deleted_at"
                + " IS NULL")
        .bind("id", applicationId)
        .execute();
  }

  /** The active application with that id. */
  public static Optional<Application> byId(Handle handle, Dialect dialect, ApplicationId id) {
    return handle
        .createQuery(
            "SELECT " + COLUMNS + " FROM applications WHERE id = :id AND deleted_at IS NULL")
        .bind("id", id)
        .map(Row.mapper(dialect, ApplicationRows::read))
        .findOne();
  }

  /** The active application with that id or uid. */
  public static Optional<Application> find(
      Handle handle, Dialect dialect, String environmentId, String idOrUid) {
    if (idOrUid.startsWith(IdKind.APPLICATION.prefix())) {
      ApplicationId id = ApplicationId.parse(idOrUid);
      return id == null
          ? Optional.empty()
          : byId(handle, dialect, id).filter(found -> found.environmentId().equals(environmentId));
    }
    return handle
        .createQuery(
            "SELECT "
                + COLUMNS
                + " FROM applications WHERE environment_id = :environment AND uid = :uid AND"
                + " deleted_at IS NULL")
        .bind("environment", environmentId)
        .bind("uid", idOrUid)
        .map(Row.mapper(dialect, ApplicationRows::read))
        .findOne();
  }

  static Application read(Row row) throws SQLException {
    return new Application(
        new ApplicationId(row.id("id")),
        row.text("environment_id"),
        new ApplicationSpec(
            row.textOrNull("uid"),
            row.text("name"),
            row.text("metadata"),
            row.integerOrNull("throttle_rate"),
            row.flag("active"),
            ApplicationSettings.decode(row.text("settings"))),
        secrecy(row.text("settings"), row.textOrNull("environment_settings")),
        row.integer("routing_version"),
        row.time("created_at"),
        row.time("updated_at"));
  }

  /** What these settings of an application and of its environment ask for. */
  public static Secrecy secrecy(@Nullable String settings, @Nullable String environmentSettings) {
    return Secrecy.ofText(settings).or(Secrecy.ofText(environmentSettings));
  }
}
