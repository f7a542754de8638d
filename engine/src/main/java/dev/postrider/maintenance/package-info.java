/** Maintenance loops that run on every instance, safe to run on all at once: one class each. */
@NullMarked
package dev.postrider.maintenance;

import org.jspecify.annotations.NullMarked;
