/**
 * The API of pull queues, for their owners and their consumers, and the two polling APIs of Svix on
 * top of them. A consumer authenticates with the key of its queue, or with a token of the polling
 * calls, which {@code QueueAccess} checks after the dispatcher let the request through as public.
 */
@NullMarked
package dev.postrider.api.queue;

import org.jspecify.annotations.NullMarked;
