package dev.postrider.engine;

import java.net.URI;
import java.util.List;

/** An address that gets messages. */
public record Endpoint(
    EndpointId id, URI url, String description, List<String> eventTypes, boolean isDisabled) {}
