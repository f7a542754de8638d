package dev.postrider.configfile;

import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class ConfiguratorOnSqliteTest extends ConfiguratorContract {
  @TempDir Path folder;

  @Override
  Database open() {
    return Databases.sqlite(folder);
  }
}
