/**
 * Inbound webhooks: requests to sources, processed by pure functions of the request, the source's
 * secrets and the time.
 *
 * <p>A request is processed in this order. A {@link dev.postrider.inbound.verify.Handshake} that
 * needs no signature answers first (a provider proves that the URL is ours before it signs
 * anything). Then the {@link dev.postrider.inbound.verify.verifier.Verifier} of the source's scheme
 * verifies it with every active secret. Then the handshakes that only a verified request may use.
 * Then the {@link dev.postrider.inbound.body.EventTypeRule} determines its event type and the
 * {@link dev.postrider.inbound.body.DedupeRule} recognizes a duplicate. {@link
 * dev.postrider.inbound.verify.Schemes} is the one table that binds a scheme's name to all four; an
 * unknown name or option is rejected when the configuration is read.
 *
 * <p>The {@code Gateway} limits and admits requests, {@code InboundCall} processes one of them, and
 * {@code SourceCache} has the {@link dev.postrider.inbound.compiled.CompiledSource} of each source
 * in memory.
 *
 * <p>Secrets and signatures are compared in constant time. Only the original headers and bytes are
 * verified: nothing is parsed and serialized again before.
 */
@NullMarked
package dev.postrider.inbound;

import org.jspecify.annotations.NullMarked;
