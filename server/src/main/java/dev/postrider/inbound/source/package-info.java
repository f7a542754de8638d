/**
 * What a source is: its fields ({@code SourceFields} declares them once, and API, file, schemas and
 * rows follow), its secrets as a change sets them, and the token of its secret URL.
 *
 * <p>A {@link dev.postrider.inbound.source.SourceForm} is what a caller configures. A {@link
 * dev.postrider.inbound.source.Source} is a stored one, with its id, its application and notes on
 * its secrets, never the secrets themselves. A secret may be for one event type or a prefix; all
 * other events use the secrets without one. A {@link dev.postrider.inbound.source.SecretChange}
 * states which of these lists are replaced, so that a change of the fields keeps the secrets.
 */
@NullMarked
package dev.postrider.inbound.source;

import org.jspecify.annotations.NullMarked;
