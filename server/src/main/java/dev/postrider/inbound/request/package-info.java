/**
 * A request to a source as it was received, and what can be read from it without knowing the
 * source: headers, fields of a JSON body or a form, and the attributes of a CloudEvent.
 *
 * <p>An {@link dev.postrider.inbound.request.Extractor} reads one text and never throws because of
 * the content of a request; a missing text is null. Schemes and the rules of sources are built from
 * extractors. {@link dev.postrider.inbound.request.Unwrapping} takes an event out of the envelope
 * of its provider. Nothing changes the received bytes, because a signature covers them.
 */
@NullMarked
package dev.postrider.inbound.request;

import org.jspecify.annotations.NullMarked;
