/**
 * How much of something bounded one tenant may hold, and how often something may happen. A leaf: it
 * knows nothing of what is held or happens.
 */
@NullMarked
package dev.postrider.limit;

import org.jspecify.annotations.NullMarked;
