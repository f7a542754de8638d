/**
 * Filters, transforms and agent routes. They run before the first attempt; body and headers are
 * then stored in the row of the delivery, so that all retries send the same bytes.
 */
@NullMarked
package dev.postrider.delivery.shape;

import org.jspecify.annotations.NullMarked;
