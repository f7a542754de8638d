/**
 * Who receives and who may ask: environments, applications and API keys.
 *
 * <p>An application's row is the lock of everything under it. Whoever changes an application or one
 * of its endpoints first bumps the row's {@code routing_version}: that serialises the change with
 * others (so that limits hold without a race) and tells every instance's hot path that what it
 * holds in memory is stale.
 */
@NullMarked
package dev.postrider.tenant;

import org.jspecify.annotations.NullMarked;
