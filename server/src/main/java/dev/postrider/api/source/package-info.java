/**
 * The URLs of sources ({@code /in}), which providers call; the API that configures sources; the
 * messages and rejected requests of a source; and Svix Ingest, a second form of the same sources.
 * {@code InboundCalls} only passes a request to {@code inbound.Gateway}, which decides everything.
 */
@NullMarked
package dev.postrider.api.source;

import org.jspecify.annotations.NullMarked;
