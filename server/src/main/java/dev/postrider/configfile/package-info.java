/**
 * {@code postrider.yaml}: what a server should have, written down. A file becomes a tree of values
 * that know their line ({@code YamlText}); an overlay is laid over it, variables and secret files
 * are put in, and the tree is held against {@code FileSchema}, the one table of sections and keys.
 * What passes becomes a {@link dev.postrider.configfile.Document}. Every problem names file, line,
 * key and fix, and all are told at once.
 *
 * <p>Applying compares the document with what the server has, in one transaction, and changes only
 * the difference. A table remembers what came from the file; everything else is left alone.
 */
@NullMarked
package dev.postrider.configfile;

import org.jspecify.annotations.NullMarked;
