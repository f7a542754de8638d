/**
 * The rules of a source for the body of a verified request: its format and schema, its event type,
 * its deduplication key, and the events of a batch. {@link dev.postrider.inbound.body.RuleText}
 * parses the text of a rule; {@link dev.postrider.inbound.body.RepeatKeys} makes the idempotency
 * key of the message from the deduplication key.
 */
@NullMarked
package dev.postrider.inbound.body;

import org.jspecify.annotations.NullMarked;
