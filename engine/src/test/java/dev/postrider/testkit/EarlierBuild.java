package dev.postrider.testkit;

import dev.postrider.storage.Database;
import java.util.List;

/** Makes a database look like one that a build from before the single schema file created. */
public final class EarlierBuild {
  private static final List<String> STATEMENTS =
      List.of(
          "DROP TABLE schema_version",
          "CREATE TABLE schema_version (version integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)",
          """
          INSERT INTO schema_version VALUES
            (1, 'V001__engine.sql', 1), (2, 'V002__operations.sql', 2), (12, 'V012__fixes_from_outside.sql', 3)
          """,
          "ALTER TABLE lease_batches RENAME TO births");

  private EarlierBuild() {}

  public static void imitate(Database database) {
    database.write(
        handle -> {
          STATEMENTS.forEach(handle::execute);
          return null;
        });
  }
}
