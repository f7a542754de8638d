/**
 * Messages as callers see them: what they send ({@link dev.postrider.message.NewMessage}), the
 * interface that accepts it ({@link dev.postrider.message.Acceptor}), the possible results, and
 * readers. API, sources, cron and background tasks accept through this interface; the
 * implementation is in {@code delivery.accept}, which they do not see.
 */
@NullMarked
package dev.postrider.message;

import org.jspecify.annotations.NullMarked;
