/**
 * The limits that results are compared with: the delivery client without a server around it, and
 * bare batched writes.
 */
@NullMarked
package dev.postrider.bench.raw;

import org.jspecify.annotations.NullMarked;
