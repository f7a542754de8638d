package dev.postrider.app;

import dev.postrider.config.FileConfig;
import dev.postrider.config.FileLocation;
import dev.postrider.configfile.BadFile;
import dev.postrider.configfile.ConfigurationFile;
import dev.postrider.configfile.ConfigurationText;
import dev.postrider.configfile.plan.Change;
import dev.postrider.configfile.plan.Configurator;
import dev.postrider.configfile.plan.Plan;
import dev.postrider.configfile.plan.Terms;
import dev.postrider.configfile.remote.LastApplied;
import dev.postrider.configfile.remote.RemoteConfiguration;
import dev.postrider.configfile.remote.RemoteFile;
import dev.postrider.configfile.remote.RemoteState;
import dev.postrider.tenant.Environment;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Applies the server's own configuration file: at start, on SIGHUP, and if it is at a URL when it
 * has a new version.
 */
final class FileApplier implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(FileApplier.class.getName());

  private final FileConfig config;
  private final @Nullable FileLocation location;
  private final Configurator configurator;
  private final @Nullable RemoteConfiguration remote;
  private final ReentrantLock turn = new ReentrantLock();
  private @Nullable Map<String, String> settings;

  FileApplier(
      FileConfig config, Configurator configurator, TimeSource time, RandomGenerator random) {
    this.config = config;
    this.location = config.location().orElse(null);
    this.configurator = configurator;
    this.remote =
        location instanceof FileLocation.Remote there
            ? new RemoteConfiguration(
                new RemoteFile(config, there, time),
                new LastApplied(config, there),
                new ThisServer(),
                config.remote().pollInterval(),
                time,
                random)
            : null;
  }

  /** Applies a version of a remote file. */
  private final class ThisServer implements RemoteConfiguration.Applier {
    @Override
    public void apply(ConfigurationText text, String by) {
      FileApplier.this.apply(text, by);
    }

    @Override
    public boolean isFirst() {
      return configurator.state(Environment.DEFAULT_ID) == null;
    }
  }

  /**
   * Applies the file, if there is one.
   *
   * @throws BadFile if the file has errors; then nothing has changed
   */
  void atStart() {
    if (remote != null) {
      remote.start();
    } else if (location instanceof FileLocation.Local file) {
      apply(read(file), "start");
    }
  }

  /** Reloads the file. Errors are logged, and the configuration stays unchanged. */
  void reload() {
    if (remote != null) {
      remote.reload();
      return;
    }
    if (!(location instanceof FileLocation.Local file)) {
      LOG.log(
          Level.WARNING, "the configuration file was not found; the configuration is unchanged");
      return;
    }
    try {
      apply(read(file), "signal");
    } catch (BadFile e) {
      LOG.log(Level.ERROR, "the configuration file has errors; the configuration is unchanged");
      e.lines().forEach(line -> LOG.log(Level.ERROR, line));
    } catch (RuntimeException e) {
      LOG.log(
          Level.ERROR,
          "the configuration file could not be applied; the configuration is unchanged",
          e);
    }
  }

  private ConfigurationText read(FileLocation.Local file) {
    return ConfigurationText.ofFile(file.path(), config.overlay().orElse(null));
  }

  /** Null if the file is not at a URL. */
  @Nullable RemoteState remote() {
    return remote == null ? null : remote.state();
  }

  @Override
  public void close() {
    if (remote != null) {
      remote.close();
    }
  }

  private void apply(ConfigurationText text, String by) {
    turn.lock();
    try {
      ConfigurationFile file = ConfigurationFile.read(text, config.variables());
      String name = location == null ? "" : location.fileName();
      Plan plan =
          configurator.apply(Environment.DEFAULT_ID, file.document(), Terms.ofServer(name), by);
      LOG.log(
          Level.INFO,
          "applied {0}: {1}",
          text.file().name(),
          plan.isEmpty() ? "no changes" : plan.changes().size() + " changes");
      file.warnings().forEach(warning -> LOG.log(Level.WARNING, warning.toString()));
      for (Change change : plan.changes()) {
        LOG.log(
            Level.INFO, "{0} {1} {2}", change.action().text(), change.kind().text(), change.name());
      }
      if (settings != null && !settings.equals(file.document().settings())) {
        LOG.log(
            Level.WARNING,
            "settings in the configuration file have changed; restart the server to use them");
      }
      settings = file.document().settings();
    } finally {
      turn.unlock();
    }
  }
}
