package dev.postrider.configfile;

import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;

class ConfiguratorOnPostgresTest extends ConfiguratorContract {
  @Override
  Database open() {
    return Databases.postgres();
  }
}
