/**
 * Fair shares of limited resources, and rate limits. This package does not depend on what is
 * limited.
 */
@NullMarked
package dev.postrider.limit;

import org.jspecify.annotations.NullMarked;
