package dev.postrider.app;

import dev.postrider.config.MasterKeySource;
import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.MasterKey;
import dev.postrider.crypto.MasterKeyFile;
import dev.postrider.crypto.MasterRotation;
import dev.postrider.maintenance.Duty;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Changes a master key that lives in a file, while the server runs. The command puts the next key
 * beside the current one; the server sees it, wraps every data key anew, and then moves the next
 * key into the place of the current one, which is kept under its id for old backups. A crash in
 * between is no harm: while both files exist, both keys are used for reading.
 */
final class MasterKeyRotation {
  static final long LOOK_EVERY_MS = 1_000;
  private static final System.Logger LOG = System.getLogger(MasterKeyRotation.class.getName());

  private final MasterKeySource source;
  private final Keyring keyring;
  private final SecureRandom random;
  private final Duty duty = new Duty("master-key", this::turn);

  MasterKeyRotation(MasterKeySource source, Keyring keyring, SecureRandom random) {
    this.source = source;
    this.keyring = keyring;
    this.random = random;
  }

  /** Where the next key stands during a rotation; null if the key is not in a file. */
  static @Nullable Path staged(MasterKeySource source) {
    Path file = file(source);
    return file == null ? null : file.resolveSibling(file.getFileName() + ".next");
  }

  static @Nullable Path file(MasterKeySource source) {
    return switch (source) {
      case MasterKeySource.Generated(Path path) -> path;
      case MasterKeySource.File(Path path) -> path;
      case MasterKeySource.Text _, MasterKeySource.Kms _ -> null;
    };
  }

  void start() {
    if (file(source) != null) {
      duty.start();
    }
  }

  void stop() {
    if (file(source) != null) {
      duty.stop();
    }
  }

  private long turn() throws IOException {
    rotateIfStaged();
    return LOOK_EVERY_MS;
  }

  /** Does a staged rotation; false if there is none. */
  boolean rotateIfStaged() throws IOException {
    Path current = file(source);
    Path next = staged(source);
    if (current == null || next == null || Files.notExists(next)) {
      return false;
    }
    String before = keyring.currentMasterId();
    MasterKey fresh = new MasterKeyFile(next, random).readOrCreate();
    MasterRotation rotation = keyring.rotateMaster(fresh);
    if (!rotation.left().isEmpty()) {
      LOG.log(
          Level.ERROR,
          "{0} data keys could not be wrapped anew; the rotation is tried again",
          rotation.left().size());
      return true;
    }
    if (!before.equals(fresh.id()) && Files.exists(current)) {
      Files.move(
          current,
          current.resolveSibling(current.getFileName() + "." + before),
          StandardCopyOption.ATOMIC_MOVE);
    }
    Files.move(next, current, StandardCopyOption.ATOMIC_MOVE);
    LOG.log(
        Level.INFO,
        "the master key is now {0}; {1} data keys were wrapped anew",
        fresh.id(),
        rotation.rewrapped());
    return true;
  }
}
