/** One class per kind of run: what is set up, what is loaded, what is compared with what. */
@NullMarked
package dev.postrider.bench.scenario;

import org.jspecify.annotations.NullMarked;
