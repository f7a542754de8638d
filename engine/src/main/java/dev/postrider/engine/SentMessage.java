package dev.postrider.engine;

import dev.postrider.id.MessageId;

/**
 * A message that is stored and will be delivered.
 *
 * @param isDuplicate whether it was sent before with the same event id; the id is then that of the
 *     first one
 */
public record SentMessage(MessageId id, boolean isDuplicate) {}
