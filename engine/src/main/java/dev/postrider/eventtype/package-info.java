/**
 * Event types: names of messages, with a description and schemas. Archived ones are hidden, never
 * deleted.
 */
@NullMarked
package dev.postrider.eventtype;

import org.jspecify.annotations.NullMarked;
