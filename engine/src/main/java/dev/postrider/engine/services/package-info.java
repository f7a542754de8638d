/**
 * What the server is built on: the parts of an engine, grouped by concept. Exported to the server
 * only.
 */
@NullMarked
package dev.postrider.engine.services;

import org.jspecify.annotations.NullMarked;
