/**
 * Event types: names that messages carry, with a description and schemas. Archived ones are hidden,
 * never forgotten.
 */
@NullMarked
package dev.postrider.eventtype;

import org.jspecify.annotations.NullMarked;
