package dev.postrider.storage.sqlite;

import static java.util.Objects.requireNonNull;

import dev.postrider.disk.PrivateFile;
import dev.postrider.options.OptionNames;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** Replaces the SQLite database of a stopped server with a copy. */
public final class SqliteRestore {
  private static final String LOG = "-wal";

  /** The database file, its write-ahead log, and the index of the log. */
  private static final List<String> PARTS = List.of("", LOG, "-shm");

  private SqliteRestore() {}

  /**
   * Puts the copy into the place of the database, which is kept next to it with the suffix {@code
   * .replaced}.
   *
   * @param damaged is called if the existing database is too damaged to complete its file
   */
  public static void restore(Path copy, Path database, OptionNames names, Runnable damaged)
      throws IOException {
    try (FolderLock _ = FolderLock.take(database, names)) {
      Path unfinished = sibling(database, ".restoring");
      try {
        copy(copy, unfinished);
        SqliteCopy.sync(unfinished);
        moveAside(database, damaged);
        Files.move(unfinished, database, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(unfinished);
      }
      SqliteCopy.sync(requireNonNull(database.toAbsolutePath().getParent()));
    }
  }

  /**
   * The existing database is not opened as a server would: it may be damaged, which may be the
   * reason for the restore. Its log is copied first, because SQLite deletes a log that it cannot
   * use.
   */
  private static void moveAside(Path database, Runnable damaged) throws IOException {
    Path replaced = sibling(database, ".replaced");
    for (String part : PARTS) {
      Files.deleteIfExists(
          sibling(
              replaced, part)); // otherwise SQLite would use it as the log of the restored database
    }
    if (Files.exists(sibling(database, LOG))) {
      copy(sibling(database, LOG), sibling(replaced, LOG));
    }
    if (Files.exists(database)) {
      if (SqliteCopy.foldLog(database)) {
        Files.deleteIfExists(sibling(replaced, LOG));
      } else {
        damaged.run();
      }
      Files.move(database, replaced, StandardCopyOption.ATOMIC_MOVE);
    }
    for (String part : PARTS) {
      Files.deleteIfExists(sibling(database, part));
    }
  }

  /** Without the modes and the owner of the source, which may come from another machine. */
  private static void copy(Path source, Path target) throws IOException {
    Files.deleteIfExists(target);
    PrivateFile.create(target);
    try (OutputStream out = Files.newOutputStream(target, StandardOpenOption.WRITE)) {
      Files.copy(source, out);
    }
  }

  private static Path sibling(Path file, String end) {
    return file.resolveSibling(file.getFileName() + end);
  }
}
