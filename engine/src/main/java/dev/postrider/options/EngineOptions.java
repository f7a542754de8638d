package dev.postrider.options;

/** Everything that an engine can be configured with, besides its database. */
public record EngineOptions(
    Role role,
    AcceptOptions accept,
    DeliveryOptions delivery,
    BreakerOptions breaker,
    InstanceOptions instance,
    RetentionOptions retention,
    SecurityOptions security) {
  public static EngineOptions of(MasterKeySource masterKey) {
    return new EngineOptions(
        Role.ALL,
        AcceptOptions.defaults(),
        DeliveryOptions.defaults(),
        BreakerOptions.defaults(),
        InstanceOptions.defaults(),
        RetentionOptions.defaults(),
        SecurityOptions.of(masterKey));
  }
}
