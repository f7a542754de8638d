package dev.postrider.tenant;

import dev.postrider.crypto.DataKeyStore;
import dev.postrider.crypto.WrappedDataKey;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.List;

/** The encrypted data keys in the database. */
public final class JdbcDataKeyStore implements DataKeyStore {
  private static final String COLUMNS = "id, environment_id, master_key_id, wrapped, created_at";

  private final Database database;

  public JdbcDataKeyStore(Database database) {
    this.database = database;
  }

  @Override
  public List<WrappedDataKey> load(String environmentId) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT "
                        + COLUMNS
                        + " FROM data_keys WHERE environment_id = :environment ORDER BY id")
                .bind("environment", environmentId)
                .map(Row.mapper(database.dialect(), JdbcDataKeyStore::key))
                .list());
  }

  @Override
  public WrappedDataKey insertIfAbsent(WrappedDataKey key) {
    return database.write(
        handle -> {
          handle
              .createUpdate(
                  """
                  INSERT INTO data_keys (id, environment_id, master_key_id, wrapped, created_at)
                  VALUES (:id, :environment, :master, :wrapped, :created)
                  ON CONFLICT DO NOTHING
                  """)
              .bind("id", key.id())
              .bind("environment", key.environmentId())
              .bind("master", key.masterKeyId())
              .bind("wrapped", key.wrapped())
              .bind("created", key.createdAtMs())
              .execute();
          return handle
              .createQuery("SELECT " + COLUMNS + " FROM data_keys WHERE id = :id")
              .bind("id", key.id())
              .map(Row.mapper(database.dialect(), JdbcDataKeyStore::key))
              .one();
        });
  }

  @Override
  public List<WrappedDataKey> all() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT " + COLUMNS + " FROM data_keys ORDER BY id")
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
        row.text("environment_id"),
        row.text("master_key_id"),
        row.bytes("wrapped"),
        row.number("created_at"));
  }
}
