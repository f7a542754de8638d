/**
 * Connections before their requests are parsed: the bytes of each request head are checked here,
 * and clients that send too slowly are disconnected. Helidon parses only requests that passed these
 * checks.
 */
@NullMarked
package dev.postrider.api.http.connection;

import org.jspecify.annotations.NullMarked;
