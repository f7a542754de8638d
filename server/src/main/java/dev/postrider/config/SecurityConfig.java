package dev.postrider.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Keys, and where deliveries may go.
 *
 * @param apiKey the first key of the default environment; absent means generate one
 * @param allowTargets addresses and CIDRs that the address guard lets pass
 * @param requireHttps refuse http:// outside of {@code allowTargets}
 */
public record SecurityConfig(
    Optional<Secret> apiKey, MasterKey masterKey, List<String> allowTargets, boolean requireHttps) {
  static final String MASTER_KEY_FILE_NAME = "master.key";

  public SecurityConfig {
    allowTargets = List.copyOf(allowTargets);
    Settings.API_KEY.check(apiKey);
    Settings.ALLOW_TARGETS.check(allowTargets);
    if (masterKey instanceof MasterKey.Text(Secret key)) {
      Settings.MASTER_KEY.check(Optional.of(key));
    }
  }

  static SecurityConfig from(Values values) {
    return new SecurityConfig(
        values.get(Settings.API_KEY),
        masterKey(values),
        values.get(Settings.ALLOW_TARGETS),
        values.get(Settings.REQUIRE_HTTPS));
  }

  private static MasterKey masterKey(Values values) {
    Path generated = values.get(Settings.DATA_DIR).resolve(MASTER_KEY_FILE_NAME);
    List<MasterKey> given =
        Stream.<Optional<? extends MasterKey>>of(
                values.get(Settings.MASTER_KEY).map(MasterKey.Text::new),
                values.get(Settings.MASTER_KEY_FILE).map(MasterKey.File::new),
                values.get(Settings.MASTER_KEY_URI).map(MasterKey.Kms::new))
            .<MasterKey>flatMap(Optional::stream)
            .toList();
    if (given.size() > 1) {
      throw new ConfigException(
          "Only one of "
              + Settings.MASTER_KEY.variable()
              + ", "
              + Settings.MASTER_KEY_FILE.variable()
              + " and "
              + Settings.MASTER_KEY_URI.variable()
              + " may be set: remove the others.");
    }
    return given.isEmpty() ? new MasterKey.Generated(generated) : given.getFirst();
  }
}
