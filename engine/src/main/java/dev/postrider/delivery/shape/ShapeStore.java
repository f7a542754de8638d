package dev.postrider.delivery.shape;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.RouteId;
import dev.postrider.json.Json;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Reads and stores the shape of a delivery. */
public final class ShapeStore {

  /**
   * The stored data of a delivery that shaping needs.
   *
   * @param source the name of the source that received the message
   * @param shape path, method and headers that the first attempt sent, if a transform set them
   */
  public record Stored(
      @Nullable String headers,
      String source,
      @Nullable String shape,
      @Nullable String sessionId,
      @Nullable AgentRoute route) {}

  private final Database database;

  public ShapeStore(Database database) {
    this.database = database;
  }

  /** Null if the delivery does not exist. */
  @Nullable
  public Stored load(Delivery delivery) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT m.headers, coalesce(a.uid, '') AS uid, d.shape, d.session_id, d.route_id, d.application_id,
                               r.source, r.pattern, r.agent_intent, r.target_session, r.session_expression, r.session_header,
                               r.annotations, r.profile, r.endpoint_id, r.created_at, r.updated_at
                          FROM deliveries d JOIN applications a ON a.id = d.application_id
                               LEFT JOIN messages m ON m.application_id = d.application_id AND m.id = d.message_id
                               LEFT JOIN agent_routes r ON r.id = d.route_id
                         WHERE d.application_id = :app AND d.id = :id
                        """)
                    .bind("app", delivery.applicationId())
                    .bind("id", delivery.id())
                    .map(Row.mapper(database.dialect(), ShapeStore::stored))
                    .findOne())
        .orElse(null);
  }

  private static Stored stored(Row row) throws SQLException {
    Id routeId = row.idOrNull("route_id");
    String pattern = row.textOrNull("pattern");
    return new Stored(
        row.textOrNull("headers"),
        row.text("uid"),
        row.textOrNull("shape"),
        row.textOrNull("session_id"),
        routeId == null || pattern == null ? null : route(row, routeId, pattern));
  }

  private static AgentRoute route(Row row, Id id, String pattern) throws SQLException {
    return new AgentRoute(
        new RouteId(id),
        new ApplicationId(row.id("application_id")),
        row.text("source"),
        pattern,
        new AgentRoute.Instructions(
            row.text("agent_intent"),
            row.textOrNull("target_session"),
            row.textOrNull("session_expression"),
            row.textOrNull("session_header"),
            Json.texts(row.text("annotations")),
            AgentRoute.Profile.of(row.integer("profile"))),
        EndpointId.orNull(row.idOrNull("endpoint_id")),
        null, // the endpoint's configuration says where it is sent
        Instant.ofEpochMilli(row.number("created_at")),
        Instant.ofEpochMilli(row.number("updated_at")));
  }

  /**
   * Stores what every attempt of the delivery sends, before the first one; false if the lease is
   * lost.
   *
   * @param detail why the transform was not applied, if it failed
   */
  public boolean fixIfHeld(
      Delivery delivery,
      byte[] body,
      @Nullable String shape,
      @Nullable Id routeId,
      @Nullable String sessionId,
      @Nullable String detail) {
    return database.write(
            handle ->
                handle
                    .createUpdate(
                        StoredCodes.sql(
                            """
                            UPDATE deliveries SET body = :body, shape = :shape, route_id = :route, session_id = :session, detail = :detail
                             WHERE application_id = :app AND id = :id AND lease_version = :version AND status = {SENDING}
                            """))
                    .bind("body", body)
                    .bind("shape", shape)
                    .bindByType("route", routeId, Id.class)
                    .bind("session", sessionId)
                    .bind("detail", detail)
                    .bind("app", delivery.applicationId())
                    .bind("id", delivery.id())
                    .bind("version", delivery.number())
                    .execute())
        == 1;
  }

  /** Records why an expression failed; the status follows with the finish. */
  public void explainIfHeld(Delivery delivery, String detail) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    StoredCodes.sql(
                        """
                        UPDATE deliveries SET detail = :detail
                         WHERE application_id = :app AND id = :id AND lease_version = :version AND status = {SENDING}
                        """))
                .bind("detail", detail)
                .bind("app", delivery.applicationId())
                .bind("id", delivery.id())
                .bind("version", delivery.number())
                .execute());
  }
}
