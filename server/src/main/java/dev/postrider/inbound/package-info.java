/**
 * What comes in through a source's door, as pure functions of the request, the source's secrets and
 * the time.
 *
 * <p>A request passes in this order. A {@link dev.postrider.inbound.verify.Handshake} that needs no
 * signature answers first (a provider proves that the URL is ours before it signs anything). Then
 * the {@link dev.postrider.inbound.verify.Verifier} of the source's scheme judges it, against every
 * live secret. Then the handshakes that only a verified request may use. Then the {@link
 * dev.postrider.inbound.body.EventTypeRule} names it and the {@link
 * dev.postrider.inbound.body.DedupeRule} recognises a repeat. {@link
 * dev.postrider.inbound.verify.Schemes} is the one table that binds a scheme's name to all four; an
 * unknown name or option is refused when the configuration is read.
 *
 * <p>Secrets and signatures are compared in constant time. Only the headers and bytes as they came
 * are judged: nothing is parsed and written again before it is verified.
 */
@NullMarked
package dev.postrider.inbound;

import org.jspecify.annotations.NullMarked;
