package dev.postrider.config;

import dev.postrider.options.MasterKeySource;
import dev.postrider.options.Secret;
import dev.postrider.options.SecurityOptions;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of keys, credentials and allowed targets of deliveries.
 *
 * @param apiKey the first key of the default environment; absent means generate one
 * @param jwtSecret of the JWTs to be accepted; absent means none
 * @param jwtWithoutExpiry accept JWTs without {@code exp}
 * @param previousMasterKey still decrypts data keys during a rotation of the master key
 * @param allowTargets addresses and CIDRs that the address guard allows
 * @param requireHttps reject http:// outside of {@code allowTargets}
 * @param kmsAccess addresses and credentials of key management services, by the variables that
 *     their own tools use
 */
public record SecurityConfig(
    Optional<Secret> apiKey,
    Optional<Secret> jwtSecret,
    boolean jwtWithoutExpiry,
    MasterKeySource masterKey,
    Optional<Secret> previousMasterKey,
    List<String> allowTargets,
    boolean requireHttps,
    Map<String, Secret> kmsAccess) {
  /** Prefixes of the variables that the client of a key management service reads. */
  private static final List<String> KMS_VARIABLES =
      List.of("AWS_", "VAULT_", "GCE_METADATA_", "CLOUDSDK_API_ENDPOINT_");

  static final String MASTER_KEY_FILE_NAME = "master.key";

  public SecurityConfig {
    allowTargets = List.copyOf(allowTargets);
    kmsAccess = Map.copyOf(kmsAccess);
    ServerSettings.API_KEY.check(apiKey);
    ServerSettings.JWT_SECRET.check(jwtSecret);
    ServerSettings.ALLOW_TARGETS.check(allowTargets);
    if (masterKey instanceof MasterKeySource.Text(Secret key)) {
      ServerSettings.MASTER_KEY.check(Optional.of(key));
    }
  }

  /** Without a key management service. */
  public SecurityConfig(
      Optional<Secret> apiKey,
      Optional<Secret> jwtSecret,
      boolean jwtWithoutExpiry,
      MasterKeySource masterKey,
      Optional<Secret> previousMasterKey,
      List<String> allowTargets,
      boolean requireHttps) {
    this(
        apiKey,
        jwtSecret,
        jwtWithoutExpiry,
        masterKey,
        previousMasterKey,
        allowTargets,
        requireHttps,
        Map.of());
  }

  static SecurityConfig from(Values values, Map<String, String> environment) {
    return new SecurityConfig(
        values.get(ServerSettings.API_KEY),
        values.get(ServerSettings.JWT_SECRET),
        values.get(ServerSettings.JWT_WITHOUT_EXPIRY),
        masterKey(values),
        values.get(ServerSettings.MASTER_KEY_PREVIOUS),
        values.get(ServerSettings.ALLOW_TARGETS),
        values.get(ServerSettings.REQUIRE_HTTPS),
        secrets(environment, KMS_VARIABLES));
  }

  /** The options of the engine. */
  public SecurityOptions engine() {
    return new SecurityOptions(
        masterKey,
        previousMasterKey.map(SecurityConfig::source),
        allowTargets,
        requireHttps,
        kmsAccess);
  }

  private static MasterKeySource source(Secret key) {
    return SettingValues.isKmsUri(key)
        ? new MasterKeySource.Kms(key.reveal())
        : new MasterKeySource.Text(key);
  }

  /** The variables with these prefixes. */
  static Map<String, Secret> secrets(Map<String, String> environment, List<String> prefixes) {
    Map<String, Secret> access = new HashMap<>();
    environment.forEach(
        (name, value) -> {
          if (!value.isBlank() && prefixes.stream().anyMatch(name::startsWith)) {
            access.put(name, new Secret(value.strip()));
          }
        });
    return access;
  }

  private static MasterKeySource masterKey(Values values) {
    Optional<Secret> text = values.get(ServerSettings.MASTER_KEY);
    Optional<Path> file = values.get(ServerSettings.MASTER_KEY_FILE);
    if (text.isPresent() && file.isPresent()) {
      throw new ConfigException(
          "Only one of "
              + ServerSettings.MASTER_KEY.variable()
              + " and "
              + ServerSettings.MASTER_KEY_FILE.variable()
              + " may be set: remove one of them.");
    }
    if (text.isPresent()) {
      return source(text.get());
    }
    Path generated = values.get(ServerSettings.DATA_DIR).resolve(MASTER_KEY_FILE_NAME);
    return file.<MasterKeySource>map(MasterKeySource.File::new)
        .orElseGet(() -> new MasterKeySource.Generated(generated));
  }
}
