/** Event types, with import and export. */
@NullMarked
package dev.postrider.api.catalog;

import org.jspecify.annotations.NullMarked;
