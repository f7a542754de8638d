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

/** Applies the server's own configuration file: when it starts, and when it is told to. */
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
   * @throws BadFile if it cannot be used; then nothing has changed
   */
  void atStart() {
    Path file = file();
    if (file != null) {
      apply(file, "start");
    }
  }

  /** Reads the file anew. A bad one is told in the log, and everything stays as it is. */
  void reload() {
    Path file = file();
    if (file == null) {
      LOG.log(Level.WARNING, "there is no configuration file to read; nothing has changed");
      return;
    }
    try {
      apply(file, "signal");
    } catch (BadFile e) {
      LOG.log(Level.ERROR, "the configuration file is refused, nothing has changed");
      e.lines().forEach(line -> LOG.log(Level.ERROR, line));
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "the configuration file was not applied, nothing has changed", e);
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
          "{0} is applied: {1}",
          path,
          plan.isEmpty() ? "nothing had to change" : plan.changes().size() + " changes");
      file.warnings().forEach(warning -> LOG.log(Level.WARNING, warning.toString()));
      for (Change change : plan.changes()) {
        LOG.log(
            Level.INFO, "{0} {1} {2}", change.action().text(), change.kind().text(), change.name());
      }
      if (settings != null && !settings.equals(file.document().settings())) {
        LOG.log(Level.WARNING, "settings have changed; they take effect at the next start");
      }
      settings = file.document().settings();
    } finally {
      turn.unlock();
    }
  }
}
