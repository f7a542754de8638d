package dev.postrider.tenant;

import dev.postrider.crypto.DataKeyStore;
import dev.postrider.crypto.KeyScope;
import dev.postrider.crypto.WrappedDataKey;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.storage.TransactionParticipant;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** The encrypted data keys in the database. */
public final class JdbcDataKeyStore implements DataKeyStore {
  private static final String COLUMNS =
      "id, environment_id, application_id, master_key_id, wrapped, created_at";

  private final Database database;

  public JdbcDataKeyStore(Database database) {
    this.database = database;
  }

  @Override
  public List<WrappedDataKey> load(KeyScope scope) {
    ApplicationId application = scope.applicationId();
    return database.read(
        handle -> {
          var query =
              handle
                  .createQuery(
                      "SELECT "
                          + COLUMNS
                          + " FROM data_keys WHERE environment_id = :environment AND application_id"
                          + " "
                          + (application == null ? "IS NULL" : "= :application")
                          + " ORDER BY id")
                  .bind("environment", scope.environmentId());
          if (application != null) {
            query.bind("application", application);
          }
          return query.map(Row.mapper(database.dialect(), JdbcDataKeyStore::key)).list();
        });
  }

  /**
   * In a transaction of its own, which is not part of the request: a key that is stored does not
   * mean that what it is for has happened.
   */
  @Override
  public WrappedDataKey insertIfAbsent(WrappedDataKey key) {
    return TransactionParticipant.without(
        () ->
            database.write(
                handle -> {
                  handle
                      .createUpdate(
                          """
                          INSERT INTO data_keys (id, environment_id, application_id, master_key_id, wrapped, created_at)
                          VALUES (:id, :environment, :application, :master, :wrapped, :created)
                          ON CONFLICT DO NOTHING
                          """)
                      .bind("id", key.id())
                      .bind("environment", key.scope().environmentId())
                      .bindByType("application", key.scope().applicationId(), Id.class)
                      .bind("master", key.masterKeyId())
                      .bind("wrapped", key.wrapped())
                      .bind("created", key.createdAtMs())
                      .execute();
                  return handle
                      .createQuery("SELECT " + COLUMNS + " FROM data_keys WHERE id = :id")
                      .bind("id", key.id())
                      .map(Row.mapper(database.dialect(), JdbcDataKeyStore::key))
                      .one();
                }));
  }

  @Override
  public Set<String> masterKeyIds() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT DISTINCT master_key_id FROM data_keys")
                .mapTo(String.class)
                .set());
  }

  @Override
  public List<WrappedDataKey> withOtherMaster(String masterKeyId, Id after, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT "
                        + COLUMNS
                        + " FROM data_keys WHERE id > :after AND master_key_id <> :master ORDER BY"
                        + " id LIMIT :limit")
                .bind("after", after)
                .bind("master", masterKeyId)
                .bind("limit", limit)
                .map(Row.mapper(database.dialect(), JdbcDataKeyStore::key))
                .list());
  }

  @Override
  public boolean replace(WrappedDataKey old, WrappedDataKey fresh) {
    return database.write(
        handle ->
            handle
                    .createUpdate(
                        """
                        UPDATE data_keys SET master_key_id = :freshMaster, wrapped = :freshWrapped
                        WHERE id = :id AND master_key_id = :oldMaster AND wrapped = :oldWrapped
                        """)
                    .bind("id", old.id())
                    .bind("freshMaster", fresh.masterKeyId())
                    .bind("freshWrapped", fresh.wrapped())
                    .bind("oldMaster", old.masterKeyId())
                    .bind("oldWrapped", old.wrapped())
                    .execute()
                == 1);
  }

  private static WrappedDataKey key(Row row) throws SQLException {
    return new WrappedDataKey(
        row.id("id"),
        new KeyScope(
            row.text("environment_id"), ApplicationId.orNull(row.idOrNull("application_id"))),
        row.text("master_key_id"),
        row.bytes("wrapped"),
        row.number("created_at"));
  }
}
