/**
 * An endpoint is a URL that receives messages, with its subscription. {@link
 * dev.postrider.endpoint.SubscriptionSet} is the one matcher of event types and channels, for
 * endpoints, handlers, queues and workflows alike.
 */
@NullMarked
package dev.postrider.endpoint;

import org.jspecify.annotations.NullMarked;
