package dev.postrider.maintenance;

import dev.postrider.crypto.DataKeyStore;
import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.KmsMasterKey;
import dev.postrider.crypto.MasterKey;
import dev.postrider.crypto.MasterKeyFile;
import dev.postrider.id.Ids;
import dev.postrider.options.MasterKeySource;
import dev.postrider.options.OptionNames;
import dev.postrider.options.OptionNames.Option;
import dev.postrider.options.SecurityOptions;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Opens the configured master keys and creates the keyring that uses them. */
public final class MasterKeys {
  private MasterKeys() {}

  public static Keyring keyring(
      SecurityOptions options,
      OptionNames names,
      DataKeyStore store,
      Ids ids,
      TimeSource time,
      SecureRandom random) {
    List<MasterKey> previous = new ArrayList<>();
    options
        .previousMasterKey()
        .ifPresent(
            key ->
                previous.add(read(key, Option.PREVIOUS_MASTER_KEY, options, names, time, random)));
    Path staged = MasterKeyRotation.staged(options.masterKey());
    if (staged != null && Files.exists(staged)) {
      // A rotation was in progress: some data keys may already be encrypted with the next key.
      previous.add(new MasterKeyFile(staged, random).readOrCreate());
    }
    MasterKey current = current(options, names, time, random);
    Keyring keyring = new Keyring(current, previous, store, ids, time, random);
    List<MasterKey> former =
        MasterKeyRotation.former(options.masterKey(), keyring.missingMasters());
    if (former.isEmpty()) {
      return keyring;
    }
    previous.addAll(former);
    return new Keyring(current, previous, store, ids, time, random);
  }

  public static MasterKey current(
      SecurityOptions options, OptionNames names, TimeSource time, SecureRandom random) {
    return read(options.masterKey(), Option.MASTER_KEY, options, names, time, random);
  }

  private static MasterKey read(
      MasterKeySource source,
      Option option,
      SecurityOptions options,
      OptionNames names,
      TimeSource time,
      SecureRandom random) {
    return switch (source) {
      case MasterKeySource.Text(var key) -> MasterKey.ofText(key.reveal(), names.of(option));
      case MasterKeySource.Kms(String uri) -> kms(uri, options, time);
      case MasterKeySource.Generated(var path) -> new MasterKeyFile(path, random).readOrCreate();
      case MasterKeySource.File(var path) -> {
        try {
          yield MasterKey.ofText(Files.readString(path).strip(), path.toString());
        } catch (IOException e) {
          throw new IllegalArgumentException(
              names.of(Option.MASTER_KEY_FILE)
                  + ": cannot read "
                  + path
                  + "; make the file readable for this user, or set another file",
              e);
        }
      }
    };
  }

  private static MasterKey kms(String uri, SecurityOptions options, TimeSource time) {
    Map<String, String> access = new HashMap<>();
    options.kmsAccess().forEach((name, value) -> access.put(name, value.reveal()));
    return KmsMasterKey.of(uri, access, time);
  }
}
