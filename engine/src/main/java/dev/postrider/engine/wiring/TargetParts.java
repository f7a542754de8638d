package dev.postrider.engine.wiring;

import dev.postrider.delivery.http.HttpSender;
import dev.postrider.delivery.http.ProxyBypass;
import dev.postrider.delivery.http.SenderSettings;
import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.NameLookup;
import dev.postrider.delivery.http.address.OwnReceiver;
import dev.postrider.delivery.http.address.TargetRules;
import dev.postrider.engine.services.StepServices;
import dev.postrider.net.Cidr;
import dev.postrider.options.DeliveryOptions;
import dev.postrider.options.EngineOptions;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The components that check and call target URLs: the rules for URLs, and the HTTP client.
 *
 * @param stepConfigs set by the owner of workflow steps, if there is one
 */
record TargetParts(
    OwnReceiver ownReceiver,
    TargetRules rules,
    NameLookup lookup,
    AddressGuard guard,
    HttpSender http,
    AtomicReference<StepServices.@Nullable Configs> stepConfigs) {
  static TargetParts of(Foundation base) {
    OwnReceiver ownReceiver = new OwnReceiver();
    List<Cidr> allowed =
        base.options().security().allowTargets().stream().map(Cidr::parse).toList();
    NameLookup lookup =
        new NameLookup(InetAddress::getAllByName, base.time(), NameLookup.Limits.defaults());
    TargetRules rules =
        new TargetRules(
            base.options().security().requireHttps(), allowed, ownReceiver, base.options().names());
    AddressGuard guard = new AddressGuard(rules, lookup);
    return new TargetParts(
        ownReceiver,
        rules,
        lookup,
        guard,
        new HttpSender(senderSettings(base.options()), guard, lookup, base.time()),
        new AtomicReference<>());
  }

  void start() {
    lookup.start();
    http.start();
  }

  void close() {
    http.close();
    lookup.close();
  }

  private static SenderSettings senderSettings(EngineOptions options) {
    DeliveryOptions delivery = options.delivery();
    SenderSettings settings =
        SenderSettings.defaults(delivery.limits().maxInFlight())
            .withKeptBytes(delivery.maxResponseBytes());
    return delivery
        .egressProxy()
        .map(
            proxy ->
                settings.withProxy(
                    proxy, ProxyBypass.of(delivery.egressNoProxy()), options.names()))
        .orElse(settings);
  }
}
