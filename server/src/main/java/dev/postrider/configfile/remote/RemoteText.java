package dev.postrider.configfile.remote;

import dev.postrider.config.FileConfig;
import dev.postrider.config.FileLocation;
import dev.postrider.configfile.BadFile;
import dev.postrider.configfile.ConfigurationText;
import dev.postrider.time.SystemTime;
import java.util.function.Function;

/** Fetches a remote configuration file once, for commands. */
public final class RemoteText {
  private RemoteText() {}

  /**
   * Fetches the file and its overlay.
   *
   * @throws BadFile if it cannot be fetched
   */
  public static ConfigurationText fetch(FileConfig config, FileLocation.Remote location) {
    try (RemoteFile file = new RemoteFile(config, location, new SystemTime())) {
      file.start();
      return file.fetch(null).text();
    } catch (FetchFailed e) {
      throw e.asBadFile("");
    }
  }

  /**
   * Reads the file, or the copy of the last version that the server applied, if the file cannot be
   * fetched or is not valid.
   *
   * @throws BadFile if there is no such copy either
   */
  public static <T> T read(
      FileConfig config, FileLocation.Remote location, Function<ConfigurationText, T> reader) {
    try {
      return reader.apply(fetch(config, location));
    } catch (BadFile e) {
      return reader.apply(new LastApplied(config, location).read().orElseThrow(() -> e).text());
    }
  }
}
