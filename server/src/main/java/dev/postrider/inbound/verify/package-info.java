/**
 * Verification of requests. {@link dev.postrider.inbound.verify.Schemes} is the one table that
 * binds a scheme's name to its verifier and its handshakes. Secrets and signatures are compared in
 * constant time, over the bytes as they arrived: nothing is parsed and written again before it is
 * verified.
 */
@NullMarked
package dev.postrider.inbound.verify;

import org.jspecify.annotations.NullMarked;
