package dev.postrider.engine.services;

import static java.util.Objects.requireNonNull;

import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.MasterKey;
import dev.postrider.crypto.MasterKeyFile;
import dev.postrider.crypto.MasterRotation;
import dev.postrider.id.Ids;
import dev.postrider.maintenance.MasterKeyRotation;
import dev.postrider.maintenance.MasterKeys;
import dev.postrider.options.OptionNames;
import dev.postrider.options.SecurityOptions;
import dev.postrider.storage.Database;
import dev.postrider.tenant.JdbcDataKeyStore;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * The configured master key without an engine, for commands.
 *
 * @param names how messages name the options
 */
public record OfflineMasterKey(SecurityOptions options, OptionNames names, SystemTime time) {

  /** The result of {@link #rotate}. */
  public sealed interface Rotation {
    /** The data keys were re-encrypted with the configured key, except for some. */
    record Reencrypted(int dataKeys, int left) implements Rotation {}

    /** The file contains a new key. */
    record Replaced(String keyId) implements Rotation {}

    /** Another process is rotating the key. */
    record InProgress() implements Rotation {}
  }

  /** The id of the key. */
  public String id() {
    return current().id();
  }

  /**
   * Creates the next key, if the key is in a file: the server that sees it, or {@link #rotate},
   * puts it into the place of the current one.
   *
   * @return its path, which exists until then; empty if the key is not in a file
   */
  public Optional<Path> stage() {
    Path staged = MasterKeyRotation.staged(options.masterKey());
    if (staged != null && Files.notExists(staged)) {
      new MasterKeyFile(staged, new SecureRandom()).readOrCreate();
    }
    return Optional.ofNullable(staged);
  }

  /** Re-encrypts the data keys of a database that no server of this machine has open. */
  public Rotation rotate(OfflineDatabase database) {
    return database.with(this::rotate);
  }

  private Rotation rotate(Database database) {
    SecureRandom random = new SecureRandom();
    Keyring keyring =
        MasterKeys.keyring(
            options,
            names,
            new JdbcDataKeyStore(database),
            new Ids(time::nowMs, random),
            time,
            random);
    if (MasterKeyRotation.file(options.masterKey()) == null) {
      MasterRotation rotation = keyring.rotateMaster(current());
      return new Rotation.Reencrypted(rotation.rewrapped(), rotation.left().size());
    }
    try {
      new MasterKeyRotation(options.masterKey(), keyring, random).look();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Path staged = requireNonNull(MasterKeyRotation.staged(options.masterKey()));
    return Files.exists(staged)
        ? new Rotation.InProgress()
        : new Rotation.Replaced(keyring.currentMasterId());
  }

  private MasterKey current() {
    return MasterKeys.current(options, names, time, new SecureRandom());
  }
}
