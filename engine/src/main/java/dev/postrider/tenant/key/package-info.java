/**
 * API keys, signed tokens and integrations: which environment or application a caller acts for, and
 * what it may do there ({@code Capability}). Only hashes of keys are stored; the text of a key is
 * in the response that creates it. The key of an integration is stored encrypted too, because Svix
 * lets its owner read it again.
 *
 * <p>{@link dev.postrider.tenant.key.ApiKeys} answers for each request, from a cache: a key that is
 * in use is read again in the background before its entry is too old. So the usual call reads no
 * database, and a revoked key stops working within a second on every instance. JWTs of self-hosted
 * Svix and the tokens of the command line on this machine need no row.
 */
@NullMarked
package dev.postrider.tenant.key;

import org.jspecify.annotations.NullMarked;
