package dev.postrider.app;

import dev.postrider.config.MasterKeySource;
import dev.postrider.config.Secret;
import dev.postrider.config.SecurityConfig;
import dev.postrider.crypto.DataKeyStore;
import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.KmsMasterKey;
import dev.postrider.crypto.MasterKey;
import dev.postrider.crypto.MasterKeyFile;
import dev.postrider.id.Ids;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes the keyring from what is configured. */
final class Keys {
  private Keys() {}

  static Keyring keyring(
      SecurityConfig config, DataKeyStore store, Ids ids, TimeSource time, SecureRandom random) {
    List<MasterKey> previous = new ArrayList<>();
    config
        .previousMasterKey()
        .ifPresent(
            key -> previous.add(fromText(key, "POSTRIDER_MASTER_KEY_PREVIOUS", config, time)));
    Path staged = MasterKeyRotation.staged(config.masterKey());
    if (staged != null && Files.exists(staged)) {
      // A rotation was under way: some data keys may be wrapped by the next key already.
      previous.add(new MasterKeyFile(staged, random).readOrCreate());
    }
    MasterKey current = master(config, time, random);
    Keyring keyring = new Keyring(current, previous, store, ids, time, random);
    List<MasterKey> former = MasterKeyRotation.former(config.masterKey(), keyring.missingMasters());
    if (former.isEmpty()) {
      return keyring;
    }
    previous.addAll(former);
    return new Keyring(current, previous, store, ids, time, random);
  }

  /** The text of a setting: a key, or the URI of one. */
  private static MasterKey fromText(
      Secret text, String source, SecurityConfig config, TimeSource time) {
    return SecurityConfig.isKmsUri(text)
        ? kms(text.reveal(), config, time)
        : MasterKey.ofText(text.reveal(), source);
  }

  private static MasterKey kms(String uri, SecurityConfig config, TimeSource time) {
    Map<String, String> access = new HashMap<>();
    config.kmsAccess().forEach((name, value) -> access.put(name, value.reveal()));
    return KmsMasterKey.of(uri, access, time);
  }

  static MasterKey master(SecurityConfig config, TimeSource time, SecureRandom random) {
    return switch (config.masterKey()) {
      case MasterKeySource.Text(var key) -> MasterKey.ofText(key.reveal(), "POSTRIDER_MASTER_KEY");
      case MasterKeySource.Kms(String uri) -> kms(uri, config, time);
      case MasterKeySource.Generated(var path) -> new MasterKeyFile(path, random).readOrCreate();
      case MasterKeySource.File(var path) -> {
        try {
          yield MasterKey.ofText(Files.readString(path).strip(), path.toString());
        } catch (IOException e) {
          throw new IllegalArgumentException(
              "POSTRIDER_MASTER_KEY_FILE: cannot read "
                  + path
                  + "; make the file readable for this user, or name another",
              e);
        }
      }
    };
  }
}
