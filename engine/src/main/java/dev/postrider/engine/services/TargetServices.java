package dev.postrider.engine.services;

import dev.postrider.delivery.http.AddressGuard;
import dev.postrider.delivery.http.HttpSender;
import dev.postrider.delivery.http.OwnReceiver;
import dev.postrider.delivery.http.TargetRules;

/** Where requests may go, and the client that sends them. */
public record TargetServices(
    TargetRules rules, AddressGuard guard, OwnReceiver ownReceiver, HttpSender http) {}
