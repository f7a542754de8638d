/** What tests of the engine's units share. */
@NullMarked
package dev.postrider.testing;

import org.jspecify.annotations.NullMarked;
