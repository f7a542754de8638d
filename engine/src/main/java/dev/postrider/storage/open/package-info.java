/** Opens a database by its options: the only part of storage that knows both dialects. */
@NullMarked
package dev.postrider.storage.open;

import org.jspecify.annotations.NullMarked;
