/**
 * Reads the body of a verified request: its format, its fields, its event type and its
 * deduplication key.
 */
@NullMarked
package dev.postrider.inbound.body;

import org.jspecify.annotations.NullMarked;
