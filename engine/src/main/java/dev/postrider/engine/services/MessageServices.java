package dev.postrider.engine.services;

import dev.postrider.delivery.accept.RoutingCache;
import dev.postrider.message.Acceptor;

/**
 * The services of the engine that accept messages.
 *
 * @param unchecked for Postrider's own messages, which are not checked against event types
 */
public record MessageServices(Acceptor acceptor, Acceptor unchecked, RoutingCache routings) {}
