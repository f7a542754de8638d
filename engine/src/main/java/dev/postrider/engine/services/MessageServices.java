package dev.postrider.engine.services;

import dev.postrider.delivery.accept.RoutingCache;
import dev.postrider.message.Acceptor;

/**
 * Accepting messages.
 *
 * @param unchecked for Postrider's own messages, to which no event type's rules apply
 */
public record MessageServices(Acceptor acceptor, Acceptor unchecked, RoutingCache routings) {}
