package dev.postrider.engine;

import dev.postrider.id.EndpointId;
import java.net.URI;
import java.util.List;

/** A URL that receives messages. */
public record EndpointInfo(
    EndpointId id, URI url, String description, List<String> eventTypes, boolean isDisabled) {}
