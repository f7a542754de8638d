/**
 * The server: the engine behind an HTTP API, a gateway for inbound webhooks, a configuration file
 * and a command line. {@link dev.postrider.Main} starts the command line, whose command {@code
 * serve} starts {@code dev.postrider.app.App}. Packages such as {@code delivery} that are not in
 * this module are those of the engine, which is also a library. ARCHITECTURE.md lists all of them.
 */
@NullMarked
package dev.postrider;

import org.jspecify.annotations.NullMarked;
