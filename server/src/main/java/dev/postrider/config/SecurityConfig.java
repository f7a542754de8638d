package dev.postrider.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Keys, and where deliveries may go.
 *
 * @param apiKey the first key of the default environment; absent means generate one
 * @param jwtSecret of the JWTs to be accepted; absent means none
 * @param previousMasterKey still opens what it wrapped, during a change of the master key
 * @param allowTargets addresses and CIDRs that the address guard lets pass
 * @param requireHttps refuse http:// outside of {@code allowTargets}
 */
public record SecurityConfig(
    Optional<Secret> apiKey,
    Optional<Secret> jwtSecret,
    MasterKeySource masterKey,
    Optional<Secret> previousMasterKey,
    List<String> allowTargets,
    boolean requireHttps) {
  static final String MASTER_KEY_FILE_NAME = "master.key";

  public SecurityConfig {
    allowTargets = List.copyOf(allowTargets);
    Settings.API_KEY.check(apiKey);
    Settings.JWT_SECRET.check(jwtSecret);
    Settings.ALLOW_TARGETS.check(allowTargets);
    if (masterKey instanceof MasterKeySource.Text(Secret key)) {
      Settings.MASTER_KEY.check(Optional.of(key));
    }
  }

  static SecurityConfig from(Values values) {
    return new SecurityConfig(
        values.get(Settings.API_KEY),
        values.get(Settings.JWT_SECRET),
        masterKey(values),
        values.get(Settings.MASTER_KEY_PREVIOUS),
        values.get(Settings.ALLOW_TARGETS),
        values.get(Settings.REQUIRE_HTTPS));
  }

  private static MasterKeySource masterKey(Values values) {
    Optional<Secret> text = values.get(Settings.MASTER_KEY);
    Optional<Path> file = values.get(Settings.MASTER_KEY_FILE);
    if (text.isPresent() && file.isPresent()) {
      throw new ConfigException(
          "Only one of "
              + Settings.MASTER_KEY.variable()
              + " and "
              + Settings.MASTER_KEY_FILE.variable()
              + " may be set: remove the other.");
    }
    if (text.isPresent()) {
      return Texts.isKmsUri(text.get())
          ? new MasterKeySource.Kms(text.get().reveal())
          : new MasterKeySource.Text(text.get());
    }
    Path generated = values.get(Settings.DATA_DIR).resolve(MASTER_KEY_FILE_NAME);
    return file.<MasterKeySource>map(MasterKeySource.File::new)
        .orElseGet(() -> new MasterKeySource.Generated(generated));
  }
}
