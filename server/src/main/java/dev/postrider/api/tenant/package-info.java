/** Environments, applications, API keys, integrations and portal tokens. */
@NullMarked
package dev.postrider.api.tenant;

import org.jspecify.annotations.NullMarked;
