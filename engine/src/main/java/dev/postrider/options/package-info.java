/**
 * The options of the engine: plain records with defaults, validated when they are built. They are a
 * part of the exported API. The server builds them from its settings; {@link
 * dev.postrider.options.OptionNames} lets messages of the engine name the setting that its user
 * knows. A {@link dev.postrider.options.Secret} is never printed.
 */
@NullMarked
package dev.postrider.options;

import org.jspecify.annotations.NullMarked;
