/**
 * Event types: the names that messages may have, with a description and schemas.
 *
 * <p>An event type belongs to an environment, and some to the server itself (those of operational
 * webhooks). It is archived, never deleted, because messages, subscriptions and schemas refer to
 * its name. {@code EventTypeRules} decides for each message whether its type is allowed and whether
 * its payload has to satisfy a schema. It answers from a cache, which a signal of any instance
 * refreshes and which is never older than a limit, so that accepting a message reads no table here.
 * Types can be imported from an OpenAPI document and exported as one.
 */
@NullMarked
package dev.postrider.eventtype;

import org.jspecify.annotations.NullMarked;
