/**
 * {@code postrider.yaml}: the configuration file, the desired state of a server. A file becomes a
 * tree of values that know their line ({@code YamlText}); an overlay is merged into it, variables
 * and secret files are resolved, and the tree is validated against {@code FileSchema}, the table of
 * sections and keys. A valid tree becomes a {@link dev.postrider.configfile.Document}. Every
 * problem names file, line, key and fix, and all are reported at once.
 *
 * <p>{@link dev.postrider.configfile.plan} compares a document with the server and applies the
 * difference. Nothing here imports it, so a file can be validated without a server.
 */
@NullMarked
package dev.postrider.configfile;

import org.jspecify.annotations.NullMarked;
