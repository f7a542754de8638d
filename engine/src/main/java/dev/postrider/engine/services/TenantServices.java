package dev.postrider.engine.services;

import dev.postrider.options.MasterKeySource;
import dev.postrider.options.Secret;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.EnvironmentStore;
import dev.postrider.tenant.OperationalWebhooks;
import dev.postrider.tenant.key.ApiKeyStore;
import dev.postrider.tenant.key.ApiKeys;
import dev.postrider.tenant.key.IntegrationStore;
import dev.postrider.tenant.key.JwtTokens;
import dev.postrider.tenant.key.LocalTokens;
import dev.postrider.time.TimeSource;
import java.nio.file.Path;
import java.util.Optional;

/** The services of the engine for applications, environments and their credentials. */
public record TenantServices(
    ApplicationStore applications,
    EnvironmentStore environments,
    ApiKeyStore apiKeys,
    IntegrationStore integrations,
    OperationalWebhooks operationalWebhooks) {

  /**
   * Which tokens are accepted in addition to API keys.
   *
   * @param jwtSecret of JWTs for environments and applications
   * @param jwtMustExpire whether a JWT needs an expiry time
   * @param masterKey if it is in a file, a process that can read the file may call the API
   */
  public record Tokens(
      Optional<Secret> jwtSecret, boolean jwtMustExpire, MasterKeySource masterKey) {}

  /** Authenticates callers of the API. */
  public ApiKeys authentication(Tokens tokens, TimeSource time) {
    JwtTokens jwts =
        tokens
            .jwtSecret()
            .map(
                secret ->
                    new JwtTokens(secret.reveal(), tokens.jwtMustExpire(), environments, time))
            .orElse(null);
    LocalTokens locals =
        switch (tokens.masterKey()) {
          case MasterKeySource.Generated(Path path) -> new LocalTokens(path, time);
          case MasterKeySource.File(Path path) -> new LocalTokens(path, time);
          case MasterKeySource.Text _, MasterKeySource.Kms _ -> null;
        };
    return new ApiKeys(apiKeys, jwts, locals, time);
  }
}
