package dev.postrider.endpoint;

import dev.postrider.crypto.Keyring;
import dev.postrider.field.FieldValues;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SigningKey;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationRows;
import dev.postrider.tenant.ApplicationSettings;
import dev.postrider.tenant.EventTtl;
import dev.postrider.tenant.Grant;
import dev.postrider.time.TimeSource;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Reads the routing of applications and the configurations of endpoints, which accepting and
 * sending cache.
 */
public final class RoutingStore {
  private static final String SELECT_CONFIG =
      """
      SELECT e.id, e.application_id, a.environment_id, e.version, <fields>, e.headers, e.deleted_at, a.settings,
        a.deleted_at AS gone_at, v.settings AS environment_settings,
        EXISTS (SELECT 1 FROM agent_routes r WHERE r.application_id = a.id) AS routed
      FROM endpoints e JOIN applications a ON a.id = e.application_id
        LEFT JOIN environments v ON v.id = a.environment_id
      WHERE e.id IN (<endpoints>) AND e.application_id = :application
      """
          .replace("<fields>", EndpointRows.FIELDS.select("e"));

  private final Database database;
  private final Sealing sealing;
  private final TimeSource time;
  private final SignatureScheme defaultScheme;
  private final EventTtl eventTtl;

  public RoutingStore(Database database, Keyring keyring, TimeSource time) {
    this(database, keyring, time, SignatureScheme.byDefault(), EventTtl.NONE);
  }

  /**
   * @param defaultScheme how endpoints sign that chose no scheme of their own
   * @param eventTtl of the server
   */
  public RoutingStore(
      Database database,
      Keyring keyring,
      TimeSource time,
      SignatureScheme defaultScheme,
      EventTtl eventTtl) {
    this.database = database;
    this.sealing = new Sealing(keyring);
    this.time = time;
    this.defaultScheme = defaultScheme;
    this.eventTtl = eventTtl;
  }

  /**
   * The routing of the live application that the caller named by id text or uid; null if there is
   * none.
   */
  public @Nullable Routing load(String environmentId, String application) {
    return database
        .snapshot(
            handle ->
                ApplicationRows.find(handle, database.dialect(), environmentId, application)
                    .map(found -> routing(handle, found)))
        .orElse(null);
  }

  private Routing routing(Handle handle, Application application) {
    return new Routing(
        application.id().value(),
        application.environmentId(),
        application.spec().uid(),
        application.routingVersion(),
        application.spec().active(),
        application.spec().throttleRate(),
        application.spec().settings(),
        exits(handle, application),
        AgentRouteStore.live(handle, database.dialect(), application.id()),
        triggers(handle, application.id().value()));
  }

  /** The event types of a trigger are subscriptions with its id; none means all. */
  private List<Routing.WorkflowTrigger> triggers(Handle handle, Id applicationId) {
    Map<Id, Set<String>> patterns = new TreeMap<>();
    handle
        .createQuery(
            """
            SELECT t.id, s.pattern FROM workflow_triggers t
              LEFT JOIN subscriptions s ON s.application_id = t.application_id AND s.endpoint_id = t.id
             WHERE t.application_id = :application ORDER BY t.id
            """)
        .bind("application", applicationId)
        .map(
            Row.mapper(
                database.dialect(),
                row -> Map.entry(row.id("id"), Optional.ofNullable(row.textOrNull("pattern")))))
        .forEach(
            row -> {
              Set<String> own = patterns.computeIfAbsent(row.getKey(), _ -> new HashSet<>());
              row.getValue().ifPresent(own::add);
            });
    return patterns.entrySet().stream()
        .map(
            one -> new Routing.WorkflowTrigger(one.getKey(), SubscriptionSet.parse(one.getValue())))
        .toList();
  }

  private List<RouteTarget> exits(Handle handle, Application application) {
    Id applicationId = application.id().value();
    Grant grant = application.spec().settings().grant();
    Map<Id, Set<String>> patterns =
        texts(
            handle,
            "SELECT endpoint_id, pattern AS value FROM subscriptions WHERE application_id ="
                + " :application",
            applicationId);
    Map<Id, Set<String>> channels =
        texts(
            handle,
            "SELECT endpoint_id, channel AS value FROM endpoint_channels WHERE application_id ="
                + " :application",
            applicationId);
    return handle
        .createQuery(
            """
            SELECT e.id, e.version, e.disabled, l.paused, l.ordered, e.throttle_rate, e.max_in_flight, e.initial_delay_ms,
              coalesce(e.event_ttl_ms, a.event_ttl_ms) AS event_ttl_ms, l.circuit, l.slow_until, l.reduced_cap, false AS pulled, e.dedupe,
              e.filter IS NOT NULL OR (e.transform IS NOT NULL AND e.transform_enabled) OR e.forward_headers IS NOT NULL
                OR EXISTS (SELECT 1 FROM agent_routes r WHERE r.application_id = e.application_id) AS shaped
            FROM endpoints e JOIN lanes l ON l.id = e.id JOIN applications a ON a.id = e.application_id
            WHERE e.application_id = :application AND e.deleted_at IS NULL
            UNION ALL
            SELECT q.id, q.version, false, false, false, NULL, NULL, NULL, NULL, 0, 0, 0, true, q.dedupe, false
            FROM queues q WHERE q.application_id = :application AND q.deleted_at IS NULL
            ORDER BY id
            """)
        .bind("application", applicationId)
        .map(Row.mapper(database.dialect(), row -> exit(row, grant, patterns, channels)))
        .list();
  }

  private RouteTarget exit(
      Row row, Grant grant, Map<Id, Set<String>> patterns, Map<Id, Set<String>> channels)
      throws SQLException {
    Id id = row.id("id");
    return new RouteTarget(
        id,
        row.integer("version"),
        row.flag("disabled"),
        new RouteTarget.Lane(
            row.flag("paused"),
            row.flag("ordered"),
            row.integer("circuit"),
            row.number("slow_until"),
            row.integer("reduced_cap")),
        row.integerOrNull("throttle_rate"),
        grant.inFlight(row.integerOrNull("max_in_flight")),
        row.integerOrNull("initial_delay_ms"),
        eventTtl.of(row.integerOrNull("event_ttl_ms")),
        SubscriptionSet.parse(patterns.getOrDefault(id, Set.of())),
        Set.copyOf(channels.getOrDefault(id, Set.of())),
        row.flag("pulled"),
        new RouteTarget.Content(row.flag("shaped"), row.textOrNull("dedupe")));
  }

  /**
   * The endpoint's own cap within its application's grant, from a row with {@code max_in_flight}
   * and the application's settings.
   */
  public static @Nullable Integer maxInFlight(Row row) throws SQLException {
    Integer stored = row.integerOrNull("max_in_flight");
    return stored == null
        ? null
        : ApplicationSettings.decode(row.text("settings")).grant().inFlight(stored);
  }

  private Map<Id, Set<String>> texts(Handle handle, String sql, Id applicationId) {
    Map<Id, Set<String>> byEndpoint = new HashMap<>();
    handle
        .createQuery(sql)
        .bind("application", applicationId)
        .map(
            Row.mapper(
                database.dialect(),
                row ->
                    byEndpoint
                        .computeIfAbsent(row.id("endpoint_id"), _ -> new HashSet<>())
                        .add(row.text("value"))))
        .list();
    return byEndpoint;
  }

  /** What a send needs of the endpoint; null if there is no such row at all. */
  public @Nullable EndpointConfig loadConfig(Id applicationId, Id endpointId) {
    List<EndpointConfig> found = loadConfigs(applicationId, List.of(endpointId));
    return found.isEmpty() ? null : found.getFirst();
  }

  /** What sends need of these endpoints. A deleted endpoint is returned as such. */
  public List<EndpointConfig> loadConfigs(Id applicationId, List<Id> endpointIds) {
    List<Stored> stored = database.snapshot(handle -> stored(handle, applicationId, endpointIds));
    return stored.stream().map(this::open).toList();
  }

  /**
   * The rows as they are; opened outside the transaction, for the keyring may have to read a data
   * key.
   */
  @SuppressWarnings("ArrayRecordComponent") // carried from the query to its opening
  private record Stored(
      EndpointConfig shut, byte @Nullable [] headers, Id secretOwner, List<byte[]> secrets) {}

  /** The row of an endpoint before its secrets are known. */
  @SuppressWarnings("ArrayRecordComponent") // carried from one query to the next
  private record Found(EndpointConfig shut, byte @Nullable [] headers, Id secretOwner) {}

  private List<Stored> stored(Handle handle, Id applicationId, List<Id> endpointIds) {
    List<Found> found =
        handle
            .createQuery(SELECT_CONFIG)
            .bindList("endpoints", endpointIds)
            .bind("application", applicationId)
            .map(Row.mapper(database.dialect(), this::found))
            .list();
    if (found.isEmpty()) {
      return List.of();
    }
    Map<Id, List<byte[]>> secrets =
        liveSecrets(
            handle, applicationId, found.stream().map(Found::secretOwner).distinct().toList());
    return found.stream()
        .map(
            one ->
                new Stored(
                    one.shut(),
                    one.headers(),
                    one.secretOwner(),
                    secrets.getOrDefault(one.secretOwner(), List.of())))
        .toList();
  }

  private Found found(Row row) throws SQLException {
    FieldValues values = EndpointRows.FIELDS.read(row);
    EndpointConfig shut = shut(row, values);
    return new Found(
        shut,
        row.bytesOrNull("headers"),
        values.get(EndpointFields.USE_APPLICATION_SECRET)
            ? shut.applicationId().value()
            : shut.endpointId().value());
  }

  private EndpointConfig shut(Row row, FieldValues values) throws SQLException {
    String scheme = values.get(EndpointFields.SIGNATURE_SCHEME);
    String environmentSettings = row.textOrNull("environment_settings");
    ApplicationSettings settings = ApplicationSettings.decode(row.text("settings"));
    return new EndpointConfig(
        new ApplicationId(row.id("application_id")),
        new EndpointId(row.id("id")),
        row.text("environment_id"),
        row.integer("version"),
        values,
        new EndpointConfig.Request(
            values.get(EndpointFields.METHOD),
            settings.grant().timeout(values.get(EndpointFields.TIMEOUT_MS)),
            settings.grant().inFlight(values.get(EndpointFields.MAX_IN_FLIGHT)),
            Map.of()),
        new EndpointConfig.Signing(
            scheme == null ? defaultScheme : SignatureScheme.decode(scheme), List.of()),
        EndpointConfig.Shape.of(values, row.flag("routed")),
        new EndpointConfig.RetryPolicies(
            settings.retryPolicy(),
            environmentSettings == null
                ? null
                : ApplicationSettings.decode(environmentSettings).retryPolicy()),
        values.get(EndpointFields.DISABLED),
        row.numberOrNull("deleted_at") != null || row.numberOrNull("gone_at") != null);
  }

  /** By owner, the newest first. */
  private Map<Id, List<byte[]>> liveSecrets(Handle handle, Id applicationId, List<Id> owners) {
    Map<Id, List<byte[]>> secrets = new HashMap<>();
    handle
        .createQuery(
            """
            SELECT owner_id, sealed FROM signing_secrets
            WHERE application_id = :application AND owner_id IN (<owners>) AND (expires_at IS NULL OR expires_at > :now)
            ORDER BY id DESC
            """)
        .bind("application", applicationId)
        .bindList("owners", owners)
        .bind("now", time.nowMs())
        .map(
            Row.mapper(
                database.dialect(),
                row ->
                    secrets
                        .computeIfAbsent(row.id("owner_id"), _ -> new ArrayList<>())
                        .add(row.bytes("sealed"))))
        .list();
    return secrets;
  }

  private EndpointConfig open(Stored stored) {
    EndpointConfig shut = stored.shut();
    String environment = shut.environmentId();
    List<SigningKey> keys = new ArrayList<>();
    for (byte[] sealed : stored.secrets()) {
      keys.add(sealing.openKey(environment, stored.secretOwner(), sealed));
    }
    Map<String, String> headers =
        stored.headers() == null
            ? Map.of()
            : sealing.openHeaders(environment, shut.endpointId(), stored.headers());
    return shut.with(headers, List.copyOf(keys));
  }
}
