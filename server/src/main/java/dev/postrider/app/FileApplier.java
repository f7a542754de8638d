package dev.postrider.app;

import dev.postrider.config.FileConfig;
import dev.postrider.configfile.BadFile;
import dev.postrider.configfile.Change;
import dev.postrider.configfile.ConfigurationFile;
import dev.postrider.configfile.Configurator;
import dev.postrider.configfile.Plan;
import dev.postrider.configfile.Terms;
import dev.postrider.tenant.Environment;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Applies the server's own configuration file: at start, and on SIGHUP. */
final class FileApplier {
  private static final System.Logger LOG = System.getLogger(FileApplier.class.getName());

  private final FileConfig config;
  private final Configurator configurator;
  private final ReentrantLock turn = new ReentrantLock();
  private @Nullable Map<String, String> settings;

  FileApplier(FileConfig config, Configurator configurator) {
    this.config = config;
    this.configurator = configurator;
  }

  /**
   * Applies the file, if there is one.
   *
   * @throws BadFile if the file has errors; then nothing has changed
   */
  void atStart() {
    Path file = file();
    if (file != null) {
      apply(file, "start");
    }
  }

  /** Reloads the file. Errors are logged, and the configuration stays unchanged. */
  void reload() {
    Path file = file();
    if (file == null) {
      LOG.log(
          Level.WARNING, "the configuration file was not found; the configuration is unchanged");
      return;
    }
    try {
      apply(file, "signal");
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

  private @Nullable Path file() {
    return config.path().orElse(null);
  }

  private void apply(Path path, String by) {
    turn.lock();
    try {
      ConfigurationFile file =
          ConfigurationFile.read(path, config.overlay().orElse(null), config.variables());
      Plan plan =
          configurator.apply(
              Environment.DEFAULT_ID,
              file.document(),
              Terms.ofServer(String.valueOf(path.getFileName())),
              by);
      LOG.log(
          Level.INFO,
          "applied {0}: {1}",
          path,
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
