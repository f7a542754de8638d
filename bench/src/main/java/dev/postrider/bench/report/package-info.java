/**
 * Results as plain records, and their three forms: text, JSON and one HTML page with plots and no
 * external resources.
 */
@NullMarked
package dev.postrider.bench.report;

import org.jspecify.annotations.NullMarked;
