/**
 * What is read from the body of a verified request: its form, its parts, its event type and its
 * deduplication key.
 */
@NullMarked
package dev.postrider.inbound.body;

import org.jspecify.annotations.NullMarked;
