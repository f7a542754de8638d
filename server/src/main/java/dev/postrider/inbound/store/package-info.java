/**
 * The rows of sources. A change of a source is checked by compiling it, written if the version of
 * the row is still the one that was read (otherwise it is tried again), and announced: {@link
 * dev.postrider.inbound.store.SourcesChanged} to this instance, a counter in the database to the
 * others, which reload all sources when it changes.
 *
 * <p>Secrets and tokens are sealed with the key of the environment and bound to their source. They
 * are sealed before the transaction starts, because a key may have to be fetched. A replaced secret
 * stays valid for an overlap.
 */
@NullMarked
package dev.postrider.inbound.store;

import org.jspecify.annotations.NullMarked;
