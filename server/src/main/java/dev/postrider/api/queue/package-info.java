/** Pull queues and the polling calls of Svix. */
@NullMarked
package dev.postrider.api.queue;

import org.jspecify.annotations.NullMarked;
