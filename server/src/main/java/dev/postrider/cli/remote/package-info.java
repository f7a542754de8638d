/**
 * Calls to a running server: {@link dev.postrider.cli.remote.Remote} sends one request and turns
 * errors into messages with their fix, {@code Listing} reads a list page by page, {@code
 * MessageFollower} reads the live feed and fills its gaps from the list. Payloads are kept byte by
 * byte ({@code ExactPayloads}), because their signature covers the bytes.
 */
@NullMarked
package dev.postrider.cli.remote;

import org.jspecify.annotations.NullMarked;
