/**
 * The API of event types, of the environment and of one application: create, change, archive;
 * import from an OpenAPI document, and export as one. What an event type allows is decided in
 * {@code eventtype}; {@code EventTypeForm} checks what a request changes, and that an enforced
 * schema can be compiled.
 */
@NullMarked
package dev.postrider.api.catalog;

import org.jspecify.annotations.NullMarked;
