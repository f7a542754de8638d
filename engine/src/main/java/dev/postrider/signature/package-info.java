/**
 * How a request proves who sent it; used for what is delivered and for what comes in.
 *
 * <p>Standard Webhooks signs the bytes {@code id.timestamp.body}: HMAC-SHA256 gives {@code
 * v1,<base64>}, Ed25519 gives {@code v1a,<base64>}, and during a rotation every live key adds one,
 * separated by a space, so that a receiver that knows any of them is content. The {@code
 * sha256=<hex>} schemes sign the body only, have room for one signature (the newest key's) and take
 * the secret's text as it is shown for the key. Keys are listed newest first everywhere.
 */
@NullMarked
package dev.postrider.signature;

import org.jspecify.annotations.NullMarked;
