package dev.postrider.engine.services;

import dev.postrider.delivery.http.HttpSender;
import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.OwnReceiver;
import dev.postrider.delivery.http.address.TargetRules;

/**
 * The services of the engine for target URLs: the rules for URLs that requests may be sent to, and
 * the HTTP client.
 */
public record TargetServices(
    TargetRules rules, AddressGuard guard, OwnReceiver ownReceiver, HttpSender http) {}
