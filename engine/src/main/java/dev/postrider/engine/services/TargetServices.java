package dev.postrider.engine.services;

import dev.postrider.delivery.http.AddressGuard;
import dev.postrider.delivery.http.HttpSender;
import dev.postrider.delivery.http.OwnReceiver;
import dev.postrider.delivery.http.TargetRules;

/** The rules for allowed targets, and the client that sends requests. */
public record TargetServices(
    TargetRules rules, AddressGuard guard, OwnReceiver ownReceiver, HttpSender http) {}
