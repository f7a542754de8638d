package dev.postrider.maintenance;

import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.MasterKey;
import dev.postrider.crypto.MasterKeyFile;
import dev.postrider.crypto.MasterRotation;
import dev.postrider.disk.PrivateFile;
import dev.postrider.options.MasterKeySource;
import dev.postrider.thread.PeriodicLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rotates a master key in a file, while the server runs. The command writes the next key next to
 * the current one; the process that sees it first, the server or the command, re-encrypts every
 * data key, and then moves the next key into the place of the current one, which is kept under its
 * id for old backups. A crash in between is harmless: while both files exist, both keys can
 * decrypt. The other instances notice that the file contains another key, and follow.
 */
public final class MasterKeyRotation {
  static final long LOOK_EVERY_MS = 1_000;
  private static final Pattern FILE_KEY_ID = Pattern.compile("[0-9a-f]{8}");
  private static final System.Logger LOG = System.getLogger(MasterKeyRotation.class.getName());

  private final MasterKeySource source;
  private final Keyring keyring;
  private final SecureRandom random;
  private final PeriodicLoop loop = new PeriodicLoop("master-key", this::turn);

  /** A key in the file that belongs to another database; reported once. Used only by the loop. */
  private @Nullable String foreign;

  /**
   * Whether data keys encrypted with a former key were searched for since the start. Used only by
   * the loop.
   */
  private boolean lookedForFormer;

  public MasterKeyRotation(MasterKeySource source, Keyring keyring, SecureRandom random) {
    this.source = source;
    this.keyring = keyring;
    this.random = random;
  }

  /** The path of the next key during a rotation; null if the key is not in a file. */
  public static @Nullable Path staged(MasterKeySource source) {
    Path file = file(source);
    return file == null ? null : file.resolveSibling(file.getFileName() + ".next");
  }

  public static @Nullable Path file(MasterKeySource source) {
    return switch (source) {
      case MasterKeySource.Generated(Path path) -> path;
      case MasterKeySource.File(Path path) -> path;
      case MasterKeySource.Text _, MasterKeySource.Kms _ -> null;
    };
  }

  public void start() {
    if (file(source) != null) {
      loop.start();
    }
  }

  public void stop() {
    if (file(source) != null) {
      loop.stop();
    }
  }

  private long turn() throws IOException {
    look();
    return LOOK_EVERY_MS;
  }

  /** What a running server does every second. */
  public void look() throws IOException {
    if (!rotateIfStaged()) {
      followFile();
    }
  }

  /**
   * Executes a staged rotation; false if there is none. Only one process does it at a time; if
   * another one is active, this returns true and the caller checks again later.
   */
  boolean rotateIfStaged() throws IOException {
    Path current = file(source);
    Path next = staged(source);
    if (current == null || next == null || Files.notExists(next)) {
      return false;
    }
    Path lockFile = current.resolveSibling(current.getFileName() + ".lock");
    PrivateFile.create(lockFile);
    try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.WRITE);
        FileLock lock = tryLock(channel)) {
      if (lock == null) {
        return true;
      }
      if (Files.notExists(next)) {
        return false; // another process was first
      }
      rotate(current, next);
      return true;
    }
  }

  /** Null while another process, or another server in this one, rotates. */
  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException _) {
      return null;
    }
  }

  private void rotate(Path current, Path next) throws IOException {
    MasterKey fresh = new MasterKeyFile(next, random).readOrCreate();
    MasterRotation rotation = keyring.rotateMaster(fresh);
    if (!rotation.left().isEmpty()) {
      logRemaining(rotation);
      return;
    }
    if (Files.exists(current)) {
      keep(current, fresh.id());
    }
    // The current name always has a key: an instance that starts now finds the old one or the
    // new one.
    Files.move(next, current, StandardCopyOption.ATOMIC_MOVE);
    logDone(fresh, rotation);
  }

  /**
   * Keeps the key under its own id. The content of the file decides, not the state of this process:
   * another process may have changed it.
   */
  private static void keep(Path current, String freshId) throws IOException {
    String id = read(current).id();
    Path kept = kept(current, id);
    if (id.equals(freshId) || (Files.exists(kept) && read(kept).id().equals(id))) {
      return;
    }
    try {
      Files.createLink(kept, current);
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (FileSystemException | UnsupportedOperationException _) {
      copy(current, kept);
    }
  }

  /**
   * Where there are no hard links; the caller holds the lock. Created next to its target first,
   * because half a key would look damaged.
   */
  static void copy(Path current, Path kept) throws IOException {
    if (Files.exists(kept, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(kept.toString());
    }
    Path whole = kept.resolveSibling(kept.getFileName() + ".new");
    Files.copy(
        current, whole, StandardCopyOption.COPY_ATTRIBUTES, StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel channel = FileChannel.open(whole, StandardOpenOption.READ)) {
      channel.force(true);
    }
    Files.move(whole, kept, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Uses the key that another process wrote to the file. Data keys that this instance encrypted
   * with the old one meanwhile are re-encrypted.
   */
  private void followFile() throws IOException {
    Path current = file(source);
    if (current == null || !Files.isReadable(current)) {
      return;
    }
    MasterKey found = read(current);
    if (found.id().equals(keyring.currentMasterId())) {
      if (!lookedForFormer) {
        lookedForFormer = true;
        rewrap(found);
      }
      return;
    }
    if (found.id().equals(foreign)) {
      return;
    }
    if (!keyring.isInUse(found.id())) {
      foreign = found.id();
      LOG.log(
          Level.WARNING,
          "the master key file {0} now contains key {1}, which does not encrypt any data key of"
              + " this database. Key {2} stays in use. Put that key back into the file, otherwise the"
              + " server refuses to start the next time",
          current,
          found.id(),
          keyring.currentMasterId());
      return;
    }
    rewrap(found);
  }

  private void rewrap(MasterKey found) {
    boolean changed = !found.id().equals(keyring.currentMasterId());
    MasterRotation rotation = keyring.rotateMaster(found);
    if (!rotation.left().isEmpty()) {
      logRemaining(rotation);
    } else if (changed || rotation.rewrapped() > 0) {
      logDone(found, rotation);
    }
  }

  private static MasterKey read(Path path) throws IOException {
    return MasterKey.ofText(Files.readString(path).strip(), path.toString());
  }

  /** The path of a former key. */
  private static Path kept(Path current, String id) {
    return current.resolveSibling(current.getFileName() + "." + id);
  }

  /**
   * Former keys next to the current one, as far as they are needed: an instance that did not know
   * of a rotation yet may have used one, and so does a restored backup.
   */
  public static List<MasterKey> former(MasterKeySource source, Set<String> ids) {
    Path current = file(source);
    List<MasterKey> found = new ArrayList<>();
    if (current == null) {
      return found;
    }
    for (String id : ids) {
      if (FILE_KEY_ID.matcher(id).matches() && Files.isReadable(kept(current, id))) {
        found.add(readKept(current, id));
      }
    }
    return found;
  }

  private static MasterKey readKept(Path current, String id) {
    try {
      return read(kept(current, id));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + kept(current, id), e);
    }
  }

  private static void logRemaining(MasterRotation rotation) {
    LOG.log(
        Level.ERROR,
        "{0} data keys could not be re-encrypted; the rotation of the master key is retried",
        rotation.left().size());
  }

  private static void logDone(MasterKey fresh, MasterRotation rotation) {
    LOG.log(
        Level.INFO,
        "the master key is now {0}; {1} data keys were re-encrypted",
        fresh.id(),
        rotation.rewrapped());
  }
}
