package dev.postrider.app;

import dev.postrider.config.SecurityConfig;
import dev.postrider.engine.services.EngineServices;
import dev.postrider.options.MasterKeySource;
import dev.postrider.options.Secret;
import dev.postrider.tenant.EnvironmentStore;
import dev.postrider.tenant.key.ApiKeyStore;
import dev.postrider.tenant.key.ApiKeys;
import dev.postrider.tenant.key.JwtTokens;
import dev.postrider.tenant.key.LocalTokens;
import dev.postrider.time.TimeSource;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/** Authenticates callers of the API: API keys, JWTs, and the command line on this machine. */
record Callers(ApiKeys keys, ApiKeyStore store, EnvironmentStore environments) {
  /** Shorter secrets of JWTs are accepted with a warning. */
  private static final int SAFE_JWT_SECRET = 32;

  static Callers of(EngineServices engine, SecurityConfig config) {
    ApiKeyStore store =
        new ApiKeyStore(
            engine.storage().database(),
            engine.storage().ids(),
            engine.storage().time(),
            new SecureRandom());
    EnvironmentStore environments = engine.tenants().environments();
    JwtTokens jwts =
        config
            .jwtSecret()
            .map(secret -> jwts(secret, config, environments, engine.storage().time()))
            .orElse(null);
    LocalTokens local = localTokens(config.masterKey(), engine.storage().time());
    return new Callers(
        new ApiKeys(store, jwts, local, engine.storage().time()), store, environments);
  }

  private static JwtTokens jwts(
      Secret secret, SecurityConfig config, EnvironmentStore environments, TimeSource time) {
    int length = secret.reveal().length();
    if (length < SAFE_JWT_SECRET) {
      System.getLogger(App.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "POSTRIDER_JWT_SECRET has only {0} characters. An attacker who guesses it can act as"
                  + " any environment; use at least {1} random characters",
              length,
              SAFE_JWT_SECRET);
    }
    return new JwtTokens(secret.reveal(), !config.jwtWithoutExpiry(), environments, time);
  }

  /** Only where the key is a file: a process that can read the file may call the API. */
  private static @Nullable LocalTokens localTokens(MasterKeySource key, TimeSource time) {
    return switch (key) {
      case MasterKeySource.Generated(Path path) -> new LocalTokens(path, time);
      case MasterKeySource.File(Path path) -> new LocalTokens(path, time);
      case MasterKeySource.Text _, MasterKeySource.Kms _ -> null;
    };
  }
}
