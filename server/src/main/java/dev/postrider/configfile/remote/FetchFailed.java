package dev.postrider.configfile.remote;

import dev.postrider.config.FileLocation;
import dev.postrider.configfile.BadFile;
import dev.postrider.configfile.FilePosition;
import dev.postrider.configfile.FileProblem;

/**
 * Thrown when the configuration file could not be fetched; the message contains the reason, without
 * secrets.
 */
final class FetchFailed extends Exception {
  private static final long serialVersionUID = 1;

  FetchFailed(String message) {
    super(message);
  }

  /** With the URL in front. */
  FetchFailed of(FileLocation.Remote location) {
    return new FetchFailed(location + ": " + getMessage());
  }

  /** For a caller that cannot continue without the file. */
  BadFile asBadFile(String more) {
    return new BadFile(
        new FileProblem(
            FilePosition.NONE,
            "",
            "the configuration file cannot be fetched" + more + ": " + getMessage()));
  }
}
