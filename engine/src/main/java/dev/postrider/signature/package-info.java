/**
 * Signatures of requests, for deliveries and for inbound requests.
 *
 * <p>Standard Webhooks signs the bytes {@code id.timestamp.body}: HMAC-SHA256 gives {@code
 * v1,<base64>}, Ed25519 gives {@code v1a,<base64>}, and during a rotation every active key adds
 * one, separated by a space, so that a receiver with any of the keys can verify it. The {@code
 * sha256=<hex>} schemes sign the body only, allow one signature (that of the newest key) and use
 * the text of the secret as the key. Keys are listed newest first everywhere.
 */
@NullMarked
package dev.postrider.signature;

import org.jspecify.annotations.NullMarked;
