/**
 * Tenants and access: environments, applications and API keys.
 *
 * <p>An application's row is the lock of everything under it. Every change of an application or one
 * of its endpoints first increments the {@code routing_version} of the row: that serializes
 * concurrent changes (so that limits hold without a race) and marks the cached routing of all
 * instances as stale.
 */
@NullMarked
package dev.postrider.tenant;

import org.jspecify.annotations.NullMarked;
