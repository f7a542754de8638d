/**
 * A connection before its requests are parsed: the bytes of the head are checked here, and a slow
 * caller is disconnected. Helidon sees only what passed.
 */
@NullMarked
package dev.postrider.api.http.connection;

import org.jspecify.annotations.NullMarked;
