package dev.postrider.storage.sqlite;

import static java.util.Objects.requireNonNull;

import dev.postrider.disk.PrivateFile;
import dev.postrider.options.OptionNames;
import dev.postrider.storage.DataFolderInUse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** The lock of a data folder: a SQLite database and its files are used by one process at a time. */
public final class FolderLock implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(FolderLock.class.getName());

  private final FileChannel channel;
  private final FileLock lock;

  private FolderLock(FileChannel channel, FileLock lock) {
    this.channel = channel;
    this.lock = lock;
  }

  /** Creates the folder if it does not exist; throws while another process has it. */
  public static FolderLock take(Path database, OptionNames names) throws IOException {
    Path folder = requireNonNull(database.toAbsolutePath().getParent());
    Files.createDirectories(folder);
    Path file = folder.resolve(database.getFileName() + ".lock");
    PrivateFile.create(file);
    FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
    FileLock lock = tryLock(channel);
    if (lock == null) {
      channel.close();
      throw new DataFolderInUse(
          "the data folder %s is in use by another Postrider process: stop it first, or set another %s for this one (several instances need PostgreSQL)"
              .formatted(folder, names.of(OptionNames.Option.DATA_FOLDER)));
    }
    return new FolderLock(channel, lock);
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException _) {
      return null;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public void close() {
    try {
      lock.release();
      channel.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "unlock", e);
    }
  }
}
