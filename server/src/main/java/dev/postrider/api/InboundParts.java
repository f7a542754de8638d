package dev.postrider.api;

import dev.postrider.delivery.store.ReceivedReader;
import dev.postrider.inbound.ClientAddress;
import dev.postrider.inbound.Gateway;
import dev.postrider.inbound.RejectedRequestStore;
import dev.postrider.inbound.source.SourceStore;
import dev.postrider.live.LiveFeed;
import java.net.URI;
import java.util.Optional;

/** What the calls about sources, and the sources' own door, need. */
public record InboundParts(
    Gateway gateway,
    SourceStore sources,
    RejectedRequestStore rejected,
    ReceivedReader received,
    LiveFeed live,
    ClientAddress addresses,
    Optional<URI> publicUrl) {}
