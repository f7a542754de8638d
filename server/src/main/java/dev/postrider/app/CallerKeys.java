package dev.postrider.app;

import dev.postrider.config.SecurityConfig;
import dev.postrider.engine.services.EngineServices;
import dev.postrider.engine.services.TenantServices;
import dev.postrider.options.Secret;
import dev.postrider.tenant.key.ApiKeys;

/** Authenticates callers of the API: API keys, JWTs, and the command line on this machine. */
record CallerKeys(ApiKeys keys) {
  /** Shorter secrets of JWTs are accepted with a warning. */
  private static final int SAFE_JWT_SECRET = 32;

  static CallerKeys of(EngineServices engine, SecurityConfig config) {
    config.jwtSecret().ifPresent(CallerKeys::warnIfShort);
    return new CallerKeys(
        engine
            .tenants()
            .authentication(
                new TenantServices.Tokens(
                    config.jwtSecret(), !config.jwtWithoutExpiry(), config.masterKey()),
                engine.storage().time()));
  }

  private static void warnIfShort(Secret secret) {
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
  }
}
