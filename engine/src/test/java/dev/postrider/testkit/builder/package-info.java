/** Builders of large records: a test names only what it is about. */
@NullMarked
package dev.postrider.testkit.builder;

import org.jspecify.annotations.NullMarked;
