package dev.postrider.options;

/**
 * All options of an engine, except its database.
 *
 * @param names how messages name these options
 */
public record EngineOptions(
    Role role,
    AcceptOptions accept,
    DeliveryOptions delivery,
    BreakerOptions breaker,
    InstanceOptions instance,
    RetentionOptions retention,
    SecurityOptions security,
    OptionNames names) {
  public static EngineOptions of(MasterKeySource masterKey) {
    return new EngineOptions(
        Role.ALL,
        AcceptOptions.defaults(),
        DeliveryOptions.defaults(),
        BreakerOptions.defaults(),
        InstanceOptions.defaults(),
        RetentionOptions.defaults(),
        SecurityOptions.of(masterKey),
        OptionNames.OF_LIBRARY);
  }
}
