package dev.postrider.tenant.key;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.SealedColumn;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.id.IntegrationId;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.LimitReached;
import dev.postrider.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Integrations and their keys. A key is an API key of the application with all permissions of a
 * portal; it is stored encrypted in addition to its hash, because it can be read again.
 */
public final class IntegrationStore {
  public static final int MAX_PER_APPLICATION = 100;
  private static final String PREFIX = "integsk_";
  private static final String COLUMNS =
      "id, application_id, name, feature_flags, created_at, updated_at";

  public static final SealedColumn SEALED =
      SealedColumn.of("integrations", "sealed", "id", (id, _) -> context(new IntegrationId(id)));

  private final Database database;
  private final ApiKeyStore keys;
  private final Keyring keyring;
  private final Ids ids;
  private final TimeSource time;
  private final SecureRandom random;

  public IntegrationStore(
      Database database,
      ApiKeyStore keys,
      Keyring keyring,
      Ids ids,
      TimeSource time,
      SecureRandom random) {
    this.database = database;
    this.keys = keys;
    this.keyring = keyring;
    this.ids = ids;
    this.time = time;
    this.random = random;
  }

  /** With a key. */
  public Integration create(Application application, String name, List<String> featureFlags) {
    ApplicationId applicationId = application.id();
    IntegrationId id = new IntegrationId(ids.next());
    String token = ApiKeyText.generate(PREFIX, random);
    byte[] sealed = seal(application, id, token);
    return database.write(
        handle -> {
          refuseBeyondLimit(handle, applicationId);
          ApiKey key = insertKey(handle, application, name, featureFlags, token);
          handle
              .createUpdate(
                  """
                  INSERT INTO integrations (id, application_id, name, feature_flags, key_id, sealed, created_at, updated_at)
                  VALUES (:id, :application, :name, :flags, :key, :sealed, :now, :now)
                  """)
              .bind("id", id)
              .bind("application", applicationId)
              .bind("name", name)
              .bind("flags", String.join(",", featureFlags))
              .bind("key", key.id())
              .bind("sealed", sealed)
              .bind("now", time.nowMs())
              .execute();
          return byId(handle, applicationId, id).orElseThrow();
        });
  }

  /** Locks the application, so that two concurrent calls do not exceed the limit. */
  private void refuseBeyondLimit(Handle handle, ApplicationId applicationId) {
    handle
        .createUpdate("UPDATE applications SET updated_at = updated_at WHERE id = :id")
        .bind("id", applicationId)
        .execute();
    int count =
        handle
            .createQuery("SELECT count(*) FROM integrations WHERE application_id = :application")
            .bind("application", applicationId)
            .mapTo(Integer.class)
            .one();
    if (count >= MAX_PER_APPLICATION) {
      throw new LimitReached(
          "the application has "
              + MAX_PER_APPLICATION
              + " integrations, which is the limit; delete one first");
    }
  }

  private ApiKey insertKey(
      Handle handle, Application application, String name, List<String> flags, String token) {
    return keys.insert(
        handle,
        new ApiKeyStore.NewKey(
            application.environmentId(),
            application.id(),
            name,
            ApiKey.Role.FULL,
            null,
            new ApiKeyStore.Portal(EnumSet.allOf(Capability.class), null, flags)),
        token);
  }

  /** Null if there is none. */
  public @Nullable Integration find(ApplicationId applicationId, String idText) {
    IntegrationId id = IntegrationId.parse(idText);
    return id == null
        ? null
        : database.read(handle -> byId(handle, applicationId, id)).orElse(null);
  }

  private Optional<Integration> byId(Handle handle, ApplicationId applicationId, IntegrationId id) {
    return handle
        .createQuery(
            "SELECT "
                + COLUMNS
                + " FROM integrations WHERE id = :id AND application_id = :application")
        .bind("id", id)
        .bind("application", applicationId)
        .map(Row.mapper(database.dialect(), IntegrationStore::read))
        .findOne();
  }

  public Keyset.Page<Integration> list(ApplicationId applicationId, Keyset<Id> keyset) {
    String sql =
        "SELECT "
            + COLUMNS
            + " FROM integrations WHERE application_id = :application AND id <beyond> :from ORDER"
            + " BY id <way> LIMIT :fetch";
    return database.read(
        handle ->
            keyset.page(
                handle
                    .createQuery(keyset.apply(sql))
                    .bind("application", applicationId)
                    .bind("from", keyset.fromOr(Id.ZERO, Id.LARGEST))
                    .bind("fetch", keyset.fetch())
                    .map(Row.mapper(database.dialect(), IntegrationStore::read))
                    .list()));
  }

  /** Changes its name and feature flags; null if it does not exist. */
  public @Nullable Integration update(
      ApplicationId applicationId, IntegrationId id, String name, List<String> featureFlags) {
    String flags = String.join(",", featureFlags);
    return database
        .write(
            handle -> {
              handle
                  .createUpdate(
                      """
                      UPDATE integrations SET name = :name, feature_flags = :flags, updated_at = :now
                       WHERE id = :id AND application_id = :application
                      """)
                  .bind("name", name)
                  .bind("flags", flags)
                  .bind("now", time.nowMs())
                  .bind("id", id)
                  .bind("application", applicationId)
                  .execute();
              handle
                  .createUpdate(
                      "UPDATE api_keys SET name = :name, feature_flags = :flags WHERE id = (SELECT"
                          + " key_id FROM integrations WHERE id = :id)")
                  .bind("name", name)
                  .bind("flags", flags)
                  .bind("id", id)
                  .execute();
              return byId(handle, applicationId, id);
            })
        .orElse(null);
  }

  /** The text of its key. */
  public @Nullable String key(String environmentId, IntegrationId id) {
    return database
        .read(
            handle ->
                handle
                    .createQuery("SELECT sealed FROM integrations WHERE id = :id")
                    .bind("id", id)
                    .map(Row.mapper(database.dialect(), row -> row.bytes("sealed")))
                    .findOne())
        .map(
            bytes ->
                new String(keyring.open(environmentId, bytes, context(id)), StandardCharsets.UTF_8))
        .orElse(null);
  }

  /** Creates a new key; the old one is revoked. Null if the integration does not exist. */
  public @Nullable String rotate(Application application, Integration integration) {
    String token = ApiKeyText.generate(PREFIX, random);
    byte[] sealed = seal(application, integration.id(), token);
    Actor actor = Actor.current();
    boolean rotated =
        database.write(
            handle -> {
              if (!endKey(handle, integration.id())) {
                return false;
              }
              audit(handle, actor, AuditAction.INTEGRATION_KEY_ROTATE, integration);
              ApiKey key =
                  insertKey(
                      handle, application, integration.name(), integration.featureFlags(), token);
              return handle
                      .createUpdate(
                          "UPDATE integrations SET key_id = :key, sealed = :sealed, updated_at ="
                              + " :now WHERE id = :id")
                      .bind("key", key.id())
                      .bind("sealed", sealed)
                      .bind("now", time.nowMs())
                      .bind("id", integration.id())
                      .execute()
                  == 1;
            });
    return rotated ? token : null;
  }

  /** With its key; false if there is none. */
  public boolean delete(Integration integration) {
    Actor actor = Actor.current();
    return database.write(
        handle -> {
          if (!endKey(handle, integration.id())) {
            return false;
          }
          audit(handle, actor, AuditAction.INTEGRATION_DELETE, integration);
          return handle
                  .createUpdate("DELETE FROM integrations WHERE id = :id")
                  .bind("id", integration.id())
                  .execute()
              == 1;
        });
  }

  private void audit(Handle handle, Actor actor, AuditAction action, Integration integration) {
    AuditRows.ofApplication(
        handle, ids.next(), actor, action, integration.applicationId(), integration.id().text());
  }

  /** False if the integration was deleted, or if another call has just revoked the key. */
  private boolean endKey(Handle handle, IntegrationId id) {
    return handle
            .createUpdate(
                """
                UPDATE api_keys SET revoked_at = :now
                 WHERE id = (SELECT key_id FROM integrations WHERE id = :id) AND revoked_at IS NULL
                """)
            .bind("now", time.nowMs())
            .bind("id", id)
            .execute()
        == 1;
  }

  private byte[] seal(Application application, IntegrationId id, String token) {
    return keyring.seal(
        application.keyScope(), token.getBytes(StandardCharsets.UTF_8), context(id));
  }

  private static byte[] context(IntegrationId id) {
    return ("integration " + id.value()).getBytes(StandardCharsets.UTF_8);
  }

  private static Integration read(Row row) throws SQLException {
    String flags = row.text("feature_flags");
    return new Integration(
        new IntegrationId(row.id("id")),
        new ApplicationId(row.id("application_id")),
        row.text("name"),
        flags.isEmpty() ? List.of() : List.of(flags.split(",", -1)),
        row.time("created_at"),
        row.time("updated_at"));
  }
}
