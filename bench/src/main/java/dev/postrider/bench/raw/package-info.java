/**
 * The limits that results are compared with: the HTTP client of the server alone, and plain batched
 * writes.
 */
@NullMarked
package dev.postrider.bench.raw;

import org.jspecify.annotations.NullMarked;
