package dev.postrider.configfile.remote;

import dev.postrider.configfile.BadFile;
import dev.postrider.configfile.ConfigurationText;
import dev.postrider.configfile.remote.RemoteFile.Fetched;
import dev.postrider.configfile.remote.RemoteState.Health;
import dev.postrider.json.Times;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.Backoff;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Applies each new version of a remote configuration file. */
public final class RemoteConfiguration implements AutoCloseable {
  /** The longest time between two requests while the URL does not respond. */
  static final Duration MAX_BACKOFF = Duration.ofMinutes(10);

  /** So that instances that were started together do not ask together. */
  private static final double JITTER = 0.1;

  private static final System.Logger LOG = System.getLogger(RemoteConfiguration.class.getName());

  /** Applies versions of the file to this server. */
  public interface Applier {
    /**
     * @param by as shown in the audit log
     * @throws BadFile if the version is not valid; then nothing has changed
     */
    void apply(ConfigurationText text, String by);

    /** Whether the server has had no configuration file yet. */
    boolean isFirst();
  }

  private final RemoteFile file;
  private final LastApplied lastApplied;
  private final Applier applier;
  private final TimeSource time;
  private final RandomGenerator random;
  private final Optional<Duration> interval;
  private final PeriodicLoop poller = new PeriodicLoop("configuration-poll", this::poll);
  private final ReentrantLock turn = new ReentrantLock();

  /** The newest version that was applied or rejected; null before the first. */
  private @Nullable Fetched seen; // guarded by turn

  /** Why the version that was seen is not in use; null if it is. */
  private @Nullable String rejection; // guarded by turn

  private boolean polled; // guarded by turn
  private int failures; // guarded by turn
  private volatile RemoteState state;

  /**
   * @param interval between two polls; absent for none
   */
  public RemoteConfiguration(
      RemoteFile file,
      LastApplied lastApplied,
      Applier applier,
      Optional<Duration> interval,
      TimeSource time,
      RandomGenerator random) {
    this.file = file;
    this.lastApplied = lastApplied;
    this.applier = applier;
    this.interval = interval;
    this.time = time;
    this.random = random;
    this.state =
        new RemoteState(file.location().toString(), Health.UNREACHABLE, null, null, null, null);
  }

  /**
   * Applies the file, and polls it from then on. If it cannot be fetched or is not valid, the
   * server keeps what it has; the copy of the version that was applied last is only applied to a
   * server that has had no configuration file.
   *
   * @throws BadFile if there is no such copy
   */
  public void start() {
    file.start();
    turn.lock();
    try {
      atStart();
    } finally {
      turn.unlock();
    }
    if (interval.isPresent()) {
      poller.start();
    }
  }

  private void atStart() {
    try {
      apply(file.fetch(null), "start");
    } catch (FetchFailed e) {
      unreachable(e);
      useCopy(e.asBadFile(", and the data folder has no copy of an earlier version"));
    } catch (BadFile e) {
      useCopy(e);
    }
  }

  /**
   * @param why thrown if there is no copy
   */
  private void useCopy(BadFile why) {
    LastApplied.Copy copy = lastApplied.read().orElseThrow(() -> why);
    LOG.log(
        Level.ERROR,
        "the newest version of the configuration file cannot be used; the server starts with"
            + " version {0}, applied at {1}: {2}",
        copy.version(),
        Times.text(copy.appliedAtMs()),
        state.detail());
    if (applier.isFirst()) {
      applier.apply(copy.text(), "start");
    }
    state = state.using(copy.version(), copy.appliedAtMs());
  }

  /** Fetches the file now and applies it, even if its version is known. Errors are logged. */
  public void reload() {
    turn.lock();
    try {
      update(true);
    } finally {
      turn.unlock();
    }
  }

  private long poll() {
    turn.lock();
    try {
      if (polled) {
        update(false);
      }
      polled = true;
      return delayMs();
    } finally {
      turn.unlock();
    }
  }

  private void update(boolean always) {
    Fetched before = seen;
    try {
      Fetched fetched = file.fetch(always ? null : before);
      if (failures > 0) {
        LOG.log(Level.INFO, "{0} responds again", file.location());
        failures = 0;
      }
      if (always || before == null || !before.version().equals(fetched.version())) {
        apply(fetched, always ? "signal" : "poll");
      } else {
        seen = fetched; // perhaps with another ETag
        state =
            state.checked(rejection == null ? Health.CURRENT : Health.REJECTED, now(), rejection);
      }
    } catch (FetchFailed e) {
      LOG.log(
          failures == 0 ? Level.WARNING : Level.DEBUG,
          "the configuration file could not be fetched; the configuration is unchanged: {0}",
          e.getMessage());
      unreachable(e);
    } catch (BadFile e) {
      LOG.log(Level.ERROR, "the configuration file has errors; the configuration is unchanged");
      e.lines().forEach(line -> LOG.log(Level.ERROR, line));
    } catch (RuntimeException e) {
      // Tried again at the next poll: the database may be unavailable.
      state =
          state.checked(
              Health.REJECTED, now(), "the configuration could not be applied; see the log");
      LOG.log(
          Level.ERROR,
          "the configuration file could not be applied; the configuration is unchanged",
          e);
    }
  }

  private void unreachable(FetchFailed e) {
    failures++;
    state = state.checked(Health.UNREACHABLE, now(), e.getMessage());
  }

  private void apply(Fetched fetched, String by) {
    try {
      applier.apply(fetched.text(), by);
    } catch (BadFile e) {
      seen = fetched;
      rejection = String.join("; ", e.lines());
      state = state.checked(Health.REJECTED, now(), rejection);
      throw e;
    }
    seen = fetched;
    rejection = null;
    state = state.checked(Health.CURRENT, now(), null).using(fetched.version(), now());
    try {
      lastApplied.write(fetched.text(), now());
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          "the copy of the configuration file could not be written to the data folder; without it,"
              + " the server cannot start while the URL is unreachable: {0}",
          e.toString());
    }
  }

  private long now() {
    return time.nowMs();
  }

  private long delayMs() {
    return delayMs(interval.orElseThrow(), failures, random.nextDouble());
  }

  /**
   * Until the next poll: the interval, doubled after each failure but the first.
   *
   * @param chance from 0 to 1
   */
  static long delayMs(Duration interval, int failures, double chance) {
    Duration most = interval.compareTo(MAX_BACKOFF) > 0 ? interval : MAX_BACKOFF;
    long delay = new Backoff(interval, most).delayMs(failures);
    return Math.round(delay * (1 + JITTER * (2 * chance - 1)));
  }

  public RemoteState state() {
    return state;
  }

  @Override
  public void close() {
    poller.requestStop();
    file.close(); // a request in progress fails
    poller.stop();
  }
}
