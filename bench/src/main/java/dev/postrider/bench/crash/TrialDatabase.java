package dev.postrider.bench.crash;

import dev.postrider.bench.testbed.PostgresUrl;
import dev.postrider.bench.testbed.Storage;
import java.nio.file.Path;
import java.util.Map;

/**
 * The database of a trial: its address for the server, and a connection for the checks.
 *
 * @param prefix in front of table names
 */
record TrialDatabase(Storage storage, Map<String, String> settings, String jdbc, String prefix) {

  static TrialDatabase sqlite(Path dataDir) {
    return new TrialDatabase(
        Storage.SQLITE,
        Map.of("POSTRIDER_DATA_DIR", dataDir.toString()),
        // Read-only, so that looking never checkpoints or repairs what the server left.
        "jdbc:sqlite:file:" + dataDir.resolve("postrider.db") + "?mode=ro",
        "");
  }

  static TrialDatabase postgres(PostgresUrl url) {
    return new TrialDatabase(
        Storage.POSTGRES,
        Map.of("POSTRIDER_DATABASE_URL", url.setting()),
        url.jdbc(),
        "postrider.");
  }
}
