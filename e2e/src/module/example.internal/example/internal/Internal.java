package example.internal;

import dev.postrider.storage.Database;

/** {@code dev.postrider.storage} is exported to the server only. */
final class Internal {
  Database database;
}
