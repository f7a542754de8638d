/**
 * Filters, transforms and agent routes. They run before the first try; body and headers are then
 * fixed in the delivery's row, so that all retries send the same bytes.
 */
@NullMarked
package dev.postrider.delivery.shape;

import org.jspecify.annotations.NullMarked;
