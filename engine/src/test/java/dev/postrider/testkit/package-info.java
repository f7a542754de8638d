/** What tests share: databases, a clock that they move by hand. */
@NullMarked
package dev.postrider.testkit;

import org.jspecify.annotations.NullMarked;
