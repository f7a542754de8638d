/** The scenarios: one class per kind, with its setup, its load and its comparisons. */
@NullMarked
package dev.postrider.bench.scenario;

import org.jspecify.annotations.NullMarked;
