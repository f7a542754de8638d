/**
 * {@code postrider.yaml}: the configuration file, the desired state of a server. A file becomes a
 * tree of values that know their line ({@code YamlText}); an overlay is merged into it, variables
 * and secret files are resolved, and the tree is validated against {@code FileSchema}, the table of
 * sections and keys. A valid tree becomes a {@link dev.postrider.configfile.Document}. Every
 * problem names file, line, key and fix, and all are reported at once.
 *
 * <p>Applying compares the document with what the server has, in one transaction, and changes only
 * the difference. A table stores which objects came from the file; all others are left unchanged.
 */
@NullMarked
package dev.postrider.configfile;

import org.jspecify.annotations.NullMarked;
