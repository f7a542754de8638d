/**
 * The API of environments, applications, API keys, integrations and portal tokens. {@code
 * ApplicationLookup} finds the application of a path for all areas, and refuses one of another
 * environment; {@code HiddenSecrets} decides whether a secret may be shown again. No call creates a
 * credential that can do more than the one that it was called with.
 */
@NullMarked
package dev.postrider.api.tenant;

import org.jspecify.annotations.NullMarked;
