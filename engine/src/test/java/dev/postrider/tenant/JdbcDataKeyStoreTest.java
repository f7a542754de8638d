package dev.postrider.tenant;

import dev.postrider.crypto.DataKeyStore;
import dev.postrider.crypto.DataKeyStoreContract;
import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

@OnEachDatabase
final class JdbcDataKeyStoreTest extends DataKeyStoreContract {
  @Parameter Databases.Kind kind;
  @TempDir Path folder;
  private Database database;

  @BeforeEach
  void open() {
    database = kind.open(folder);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Override
  protected DataKeyStore store() {
    return new JdbcDataKeyStore(database);
  }
}
