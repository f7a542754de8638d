/**
 * The API of messages, deliveries and attempts: send, read, send again, cancel, recover, dry runs.
 *
 * <p>{@link dev.postrider.api.message.MessageSends} is the hot path: {@code MessageBody} reads the
 * tokens of the request, the payload stays the bytes that the caller wrote, everything is validated
 * before the message joins a batch, and the response is written without the JSON library. Calls
 * that concern many messages start a background task and return it.
 */
@NullMarked
package dev.postrider.api.message;

import org.jspecify.annotations.NullMarked;
