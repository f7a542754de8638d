package dev.postrider.app;

import dev.postrider.config.MasterKeySource;
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
import java.security.SecureRandom;
import java.util.List;

/** Makes the keyring from what is configured. */
final class Keys {
  private Keys() {}

  static Keyring keyring(
      SecurityConfig config, DataKeyStore store, Ids ids, TimeSource time, SecureRandom random) {
    return new Keyring(master(config, random), List.of(), store, ids, time, random);
  }

  private static MasterKey master(SecurityConfig config, SecureRandom random) {
    return switch (config.masterKey()) {
      case MasterKeySource.Text(var key) -> MasterKey.ofText(key.reveal(), "POSTRIDER_MASTER_KEY");
      case MasterKeySource.Kms(String uri) -> KmsMasterKey.of(uri);
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
