/** The parts of an engine that the server uses, grouped by concept. Exported to the server only. */
@NullMarked
package dev.postrider.engine.services;

import org.jspecify.annotations.NullMarked;
