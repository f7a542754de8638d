/**
 * The composition root: the only package that sees all others. {@code Serve} is the command, {@link
 * dev.postrider.app.App} an engine with its API and gateway and the order in which they start and
 * stop, {@code ApiComposition} builds the areas of the API from the services of the engine.
 * Commands that need both the command line and the engine are here too.
 */
@NullMarked
package dev.postrider.app;

import org.jspecify.annotations.NullMarked;
