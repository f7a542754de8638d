/**
 * Logs and metrics. Logs go to stderr through java.util.logging; the code writes with {@link
 * System.Logger}. One event is one line, as text or as JSON.
 */
@NullMarked
package dev.postrider.observe;

import org.jspecify.annotations.NullMarked;
