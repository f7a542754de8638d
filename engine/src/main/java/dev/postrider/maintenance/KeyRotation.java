package dev.postrider.maintenance;

import dev.postrider.delivery.accept.KeyGeneration;
import dev.postrider.delivery.accept.KeyGenerationStore;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;

/**
 * Begins generations of idempotency keys when they are due, and removes those whose keys have
 * expired. Safe on every instance at once: a row decides who rotates. A rotation that is late costs
 * only space, since keys that outlive their generation are copied.
 */
public final class KeyRotation {
  /** Without work, it looks this often. */
  static final Duration EVERY = Duration.ofMinutes(1);

  /** After a rotation or removal that waited too long for statements under way. */
  static final Duration RETRY = Duration.ofSeconds(5);

  /** Between two steps of a removal, so that others can write. */
  static final Duration STEP_PAUSE = Duration.ofMillis(20);

  /** A generation begins this much before the last one would copy its keys. */
  static final Duration LEAD = Duration.ofSeconds(1);

  private static final System.Logger LOG = System.getLogger(KeyRotation.class.getName());

  private final Database database;
  private final KeyGenerationStore generations;
  private final TimeSource time;
  private final long windowMs;
  private final PeriodicLoop loop = new PeriodicLoop("key-rotation", this::turn);

  /**
   * @param window how long the server keeps a key
   */
  public KeyRotation(Database database, TimeSource time, Duration window) {
    this.database = database;
    this.generations = new KeyGenerationStore(database.dialect());
    this.time = time;
    this.windowMs = window.toMillis();
  }

  public void start() {
    loop.start();
  }

  public void stop() {
    loop.stop();
  }

  /** Returns when it has to look again, in milliseconds. */
  long turn() {
    try {
      KeyGeneration current = current();
      if (dueMs(current) <= time.nowMs() && rotate(current)) {
        current = current();
      }
      if (!removeStep()) {
        return STEP_PAUSE.toMillis();
      }
      return Math.clamp(dueMs(current) - time.nowMs(), RETRY.toMillis(), EVERY.toMillis());
    } catch (DatabaseUnavailable e) {
      LOG.log(
          Level.DEBUG, "idempotency keys could not be rotated now; retrying: {0}", e.getMessage());
      return RETRY.toMillis();
    }
  }

  /** The current generation. */
  public KeyGeneration current() {
    return database.write(handle -> generations.current(handle, time.nowMs(), windowMs));
  }

  private long dueMs(KeyGeneration current) {
    return current.dropAfterMs() - windowMs - LEAD.toMillis();
  }

  /**
   * Begins the generation after that one; false if another instance did or the table is not empty.
   */
  public boolean rotate(KeyGeneration from) {
    return database.write(handle -> generations.rotate(handle, from, time.nowMs(), windowMs));
  }

  /** One step of removing expired keys; true if nothing is left to remove. */
  boolean removeStep() {
    return database.write(handle -> generations.removeStep(handle, time.nowMs()));
  }
}
