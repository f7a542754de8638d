package dev.postrider.api.source;

import dev.postrider.delivery.store.ReceivedReader;
import dev.postrider.inbound.ClientAddress;
import dev.postrider.inbound.Gateway;
import dev.postrider.inbound.RejectedRequestStore;
import dev.postrider.inbound.store.SourceStore;
import java.net.URI;
import java.util.Optional;

/** The dependencies of the source API and of the URLs of sources. */
public record SourceServices(
    Gateway gateway,
    SourceStore sources,
    RejectedRequestStore rejected,
    ReceivedReader received,
    ClientAddress addresses,
    Optional<URI> publicUrl) {}
