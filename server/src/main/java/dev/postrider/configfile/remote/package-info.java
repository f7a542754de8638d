/**
 * A configuration file at a URL: fetched at start and then polled, and applied when it has a new
 * version.
 *
 * <p>{@code RemoteFile} fetches the file and its overlay with their ETags, through an address guard
 * of its own ({@code FileClient}); requests to an S3-compatible store are signed ({@code
 * S3Request}). {@code RemoteConfiguration} decides what to do with a version. One that is not valid
 * is refused as a whole: the server keeps what it has. The last version that was applied is kept in
 * the data folder ({@code LastApplied}), so that a server can start while the URL is unreachable or
 * has an invalid file. Then only the settings of that copy are used: what it declares is in the
 * database already, perhaps in a newer version that another instance has applied.
 */
@NullMarked
package dev.postrider.configfile.remote;

import org.jspecify.annotations.NullMarked;
