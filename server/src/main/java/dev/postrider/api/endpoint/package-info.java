/** Endpoints, their secrets, headers, transformations and agent routes. */
@NullMarked
package dev.postrider.api.endpoint;

import org.jspecify.annotations.NullMarked;
