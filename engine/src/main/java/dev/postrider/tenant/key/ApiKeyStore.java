package dev.postrider.tenant.key;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.id.ApiKeyId;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.key.ApiKey.Role;
import dev.postrider.time.TimeSource;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/** The rows of API keys. */
public final class ApiKeyStore {
  /** The last use is written at most this often. */
  static final long LAST_USED_EVERY_MS = 60_000;

  private static final String COLUMNS =
      "id, environment_id, application_id, name, prefix, hash, role, created_at, expires_at,"
          + " last_used_at, revoked_at, capabilities, feature_flags";

  private final Database database;
  private final Ids ids;
  private final TimeSource time;
  private final SecureRandom random;

  public ApiKeyStore(Database database, Ids ids, TimeSource time, SecureRandom random) {
    this.database = database;
    this.ids = ids;
    this.time = time;
    this.random = random;
  }

  /**
   * The properties of a new key.
   *
   * @param applicationId the application that it is limited to; null means the whole environment
   */
  public record NewKey(
      String environmentId,
      @Nullable ApplicationId applicationId,
      String name,
      Role role,
      @Nullable Instant expiresAt,
      @Nullable Portal portal) {
    public NewKey(
        String environmentId,
        @Nullable ApplicationId applicationId,
        String name,
        Role role,
        @Nullable Instant expiresAt) {
      this(environmentId, applicationId, name, role, expiresAt, null);
    }
  }

  /** The properties of a portal token. */
  public record Portal(
      Set<Capability> capabilities, @Nullable String sessionId, List<String> featureFlags) {}

  /** A key with its text, which cannot be read again. */
  public record Created(ApiKey key, String token) {
    @Override
    public String toString() {
      return "Created[" + key + "]";
    }
  }

  public Created create(NewKey wanted) {
    String token = ApiKeyText.generate(random);
    Actor actor = Actor.current();
    return new Created(
        database.write(
            handle -> {
              ApiKey key = insert(handle, wanted, token);
              if (wanted.portal() == null) {
                AuditRows.ofEnvironment(
                    handle,
                    ids.next(),
                    actor,
                    AuditAction.API_KEY_CREATE,
                    wanted.environmentId(),
                    key.id().text());
              }
              return key;
            }),
        token);
  }

  /**
   * Ensures that the default environment has an API key.
   *
   * @param configured the key from the settings; null if there is none
   * @return a generated key to be shown once; empty if a key was configured or already exists
   */
  public Optional<String> bootstrap(@Nullable String configured) {
    NewKey wanted = new NewKey(Environment.DEFAULT_ID, null, "bootstrap", Role.FULL, null);
    if (configured != null) {
      database.write(handle -> insert(handle, wanted, configured));
      return Optional.empty();
    }
    String token = ApiKeyText.generate(random);
    return database.write(
        handle -> {
          // Locks the environment, so that two instances starting at once create one key.
          handle.execute(
              "UPDATE environments SET version = version WHERE id = ?", Environment.DEFAULT_ID);
          if (anyLive(handle)) {
            return Optional.empty();
          }
          insert(handle, wanted, token);
          return Optional.of(token);
        });
  }

  private boolean anyLive(Handle handle) {
    return handle
        .createQuery(
            """
            SELECT 1 FROM api_keys
            WHERE environment_id = :environment AND application_id IS NULL AND revoked_at IS NULL
              AND (expires_at IS NULL OR expires_at > :now)
            LIMIT 1
            """)
        .bind("environment", Environment.DEFAULT_ID)
        .bind("now", time.nowMs())
        .mapTo(Integer.class)
        .findOne()
        .isPresent();
  }

  /** In the caller's transaction. */
  ApiKey insert(Handle handle, NewKey wanted, String token) {
    byte[] hash = ApiKeyText.hash(token);
    Portal portal = wanted.portal();
    handle
        .createUpdate(
            """
            INSERT INTO api_keys (id, environment_id, application_id, name, prefix, hash, role, created_at, expires_at, capabilities, session_id, feature_flags)
            VALUES (:id, :environment, :application, :name, :prefix, :hash, :role, :now, :expires, :capabilities, :session, :flags)
            ON CONFLICT DO NOTHING
            """)
        .bind("id", ids.next())
        .bind("environment", wanted.environmentId())
        .bindByType("application", wanted.applicationId(), Id.class)
        .bind("name", wanted.name())
        .bind("prefix", ApiKeyText.shown(token))
        .bind("hash", hash)
        .bind("role", wanted.role().code())
        .bind("now", time.nowMs())
        .bind("expires", wanted.expiresAt())
        .bind("capabilities", portal == null ? null : Capability.encode(portal.capabilities()))
        .bind("session", portal == null ? null : portal.sessionId())
        .bind("flags", portal == null ? null : String.join(",", portal.featureFlags()))
        .execute();
    return byHash(handle, hash).orElseThrow();
  }

  /** Whether other instances may read the same rows. */
  boolean sharedWithOthers() {
    return database.dialect() == Dialect.POSTGRES;
  }

  /** The key with that hash, in any state. */
  Optional<ApiKey> find(byte[] hash) {
    return database.read(handle -> byHash(handle, hash));
  }

  private Optional<ApiKey> byHash(Handle handle, byte[] hash) {
    return handle
        .createQuery("SELECT " + COLUMNS + " FROM api_keys WHERE hash = :hash")
        .bind("hash", hash)
        .map(Row.mapper(database.dialect(), row -> new Hashed(key(row), row.bytes("hash"))))
        .findOne()
        .filter(row -> MessageDigest.isEqual(row.hash(), hash))
        .map(Hashed::key);
  }

  @SuppressWarnings("ArrayRecordComponent") // from the query to the comparison
  private record Hashed(ApiKey key, byte[] hash) {}

  public Keyset.Page<ApiKey> list(String environmentId, Keyset<Id> keyset) {
    String sql =
        """
        SELECT <columns> FROM api_keys WHERE environment_id = :environment AND capabilities IS NULL AND id <beyond> :from ORDER BY id <way> LIMIT :fetch
        """;
    return database.read(
        handle ->
            keyset.page(
                handle
                    .createQuery(keyset.apply(sql.replace("<columns>", COLUMNS)))
                    .bind("environment", environmentId)
                    .bind("from", keyset.fromOr(Id.ZERO, Id.LARGEST))
                    .bind("fetch", keyset.fetch())
                    .map(Row.mapper(database.dialect(), ApiKeyStore::key))
                    .list()));
  }

  /**
   * Sets the expiry of the portal tokens of an application to that time, unless they expire sooner.
   *
   * @param sessions empty means all
   */
  public int expirePortals(ApplicationId applicationId, List<String> sessions, long atMs) {
    Actor actor = Actor.current();
    return database.write(
        handle -> {
          AuditRows.ofApplication(
              handle,
              ids.next(),
              actor,
              AuditAction.PORTAL_EXPIRE_ALL,
              applicationId,
              applicationId.text());
          Update update =
              handle
                  .createUpdate(
                      """
                      UPDATE api_keys SET expires_at = :at
                       WHERE application_id = :application AND capabilities IS NOT NULL AND expires_at > :at
                      """
                          + (sessions.isEmpty() ? "" : " AND session_id IN (<sessions>)"))
                  .bind("application", applicationId)
                  .bind("at", atMs);
          return (sessions.isEmpty() ? update : update.bindList("sessions", sessions)).execute();
        });
  }

  /** Revokes the key; false if it does not exist or is already revoked. */
  public boolean revoke(String environmentId, ApiKeyId id) {
    Actor actor = Actor.current();
    return database.write(
        handle -> {
          int revoked =
              handle
                  .createUpdate(
                      """
                      UPDATE api_keys SET revoked_at = :now
                      WHERE id = :id AND environment_id = :environment AND revoked_at IS NULL
                      """)
                  .bind("id", id)
                  .bind("environment", environmentId)
                  .bind("now", time.nowMs())
                  .execute();
          if (revoked == 1) {
            AuditRows.ofEnvironment(
                handle, ids.next(), actor, AuditAction.API_KEY_REVOKE, environmentId, id.text());
          }
          return revoked == 1;
        });
  }

  /** Writes the time of the last use unless that was done a moment ago. */
  void used(ApiKey key) {
    long now = time.nowMs();
    Instant last = key.lastUsedAt();
    if (last != null && now - last.toEpochMilli() < LAST_USED_EVERY_MS) {
      return;
    }
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    UPDATE api_keys SET last_used_at = :now
                    WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :before)
                    """)
                .bind("id", key.id())
                .bind("now", now)
                .bind("before", now - LAST_USED_EVERY_MS + 1)
                .execute());
  }

  private static ApiKey key(Row row) throws SQLException {
    return new ApiKey(
        new ApiKeyId(row.id("id")),
        row.text("environment_id"),
        ApplicationId.orNull(row.idOrNull("application_id")),
        row.text("name"),
        row.text("prefix"),
        Role.of(row.integer("role")),
        row.time("created_at"),
        row.timeOrNull("expires_at"),
        row.timeOrNull("last_used_at"),
        row.timeOrNull("revoked_at"),
        row.textOrNull("capabilities") == null ? null : Capability.decode(row.text("capabilities")),
        row.textOrNull("capabilities") == null ? null : flags(row.textOrNull("feature_flags")));
  }

  private static Set<String> flags(@Nullable String stored) {
    return stored == null || stored.isEmpty() ? Set.of() : Set.of(stored.split(",", -1));
  }
}
