/**
 * Secrets that are sealed again. When an application gets a data key of its own, its secrets are
 * still encrypted with that of the environment. Each capability names the columns that hold them,
 * and a background task seals their values again, some rows at a time.
 */
@NullMarked
package dev.postrider.tenant.datakey;

import org.jspecify.annotations.NullMarked;
