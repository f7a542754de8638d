/**
 * The API of endpoints: their fields ({@code EndpointForm}, from the declarations in {@code
 * EndpointFields}), headers, secrets and their rotation, transformations, agent routes, health,
 * test requests. {@link dev.postrider.api.endpoint.EndpointCalls} serves endpoints of applications,
 * of operational webhooks and of sources alike; {@code EndpointOwner} is the difference.
 *
 * <p>URLs, expressions and event types are checked here, before anything is stored ({@code
 * EndpointChecks}).
 */
@NullMarked
package dev.postrider.api.endpoint;

import org.jspecify.annotations.NullMarked;
