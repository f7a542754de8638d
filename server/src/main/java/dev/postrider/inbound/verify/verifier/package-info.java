/**
 * Verifiers that several providers share: HMAC, public keys, JSON Web Tokens, Standard Webhooks,
 * tokens and client certificates. Each is configured with the options of a source ({@code
 * SchemeOptions}).
 */
@NullMarked
package dev.postrider.inbound.verify.verifier;

import org.jspecify.annotations.NullMarked;
