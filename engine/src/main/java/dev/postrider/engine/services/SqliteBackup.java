package dev.postrider.engine.services;

import dev.postrider.options.OptionNames;
import dev.postrider.storage.BackupContents;
import dev.postrider.storage.sqlite.SqliteCopy;
import dev.postrider.storage.sqlite.SqliteRestore;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Backups of a SQLite database, for commands.
 *
 * @param database the file of the server
 * @param names how messages name the options
 */
public record SqliteBackup(Path database, OptionNames names) {

  /** Copies the database, which a server may be using, into a new file, and verifies the copy. */
  public BackupContents copyTo(Path target) throws IOException {
    return SqliteCopy.copy(database, target, names);
  }

  /** Reads a whole backup; throws if it is damaged or not a Postrider database. */
  public static BackupContents check(Path backup) throws IOException {
    return SqliteCopy.check(backup);
  }

  /**
   * Replaces the database with the backup; no server may be using it.
   *
   * @param damaged is called if the existing database is damaged; it is kept in any case
   */
  public void restore(Path backup, Runnable damaged) throws IOException {
    SqliteRestore.restore(backup, database, names, damaged);
  }
}
