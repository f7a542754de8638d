package dev.postrider.engine.services;

import dev.postrider.endpoint.Routing;
import dev.postrider.message.Acceptor;
import dev.postrider.message.MessagePublisher;
import dev.postrider.message.MessageReader;
import dev.postrider.message.MessageStarts;

/**
 * The services of the engine that accept and read messages.
 *
 * @param unchecked for Postrider's own messages, which are not checked against event types
 */
public record MessageServices(
    Acceptor acceptor,
    Acceptor unchecked,
    MessageReader reader,
    Routing.Source routings,
    DryRuns dryRuns,
    MessageStarts.Slot starts,
    MessagePublisher publisher) {}
