/**
 * Official clients drive the packaged server. One process for each database serves all classes;
 * each test works in an environment of its own.
 */
@NullMarked
package dev.postrider.e2e.sdk;

import org.jspecify.annotations.NullMarked;
