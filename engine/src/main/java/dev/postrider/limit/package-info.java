/** How much of something bounded one tenant may hold. A leaf: it knows nothing of what is held. */
@NullMarked
package dev.postrider.limit;

import org.jspecify.annotations.NullMarked;
