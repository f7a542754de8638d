/**
 * JSON Web Tokens, for callers of the API and for providers that sign requests with them.
 *
 * <p>Written by hand: libraries refuse shared secrets that are shorter than the hash, which Svix's
 * open server and some providers use.
 */
@NullMarked
package dev.postrider.jwt;

import org.jspecify.annotations.NullMarked;
