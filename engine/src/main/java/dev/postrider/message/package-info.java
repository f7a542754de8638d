/**
 * Messages: what callers send ({@link dev.postrider.message.NewMessage}), the interface that
 * accepts it ({@link dev.postrider.message.Acceptor}), the possible results, and readers. The
 * implementation is in {@code delivery.accept}.
 */
@NullMarked
package dev.postrider.message;

import org.jspecify.annotations.NullMarked;
