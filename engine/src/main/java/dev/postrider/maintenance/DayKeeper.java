package dev.postrider.maintenance;

import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.postgres.DayPartitions;
import dev.postrider.storage.postgres.DayPartitions.Day;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the daily partitions of PostgreSQL: creates those of the coming days, and removes those of
 * the past that are empty. A day that is missing nevertheless, such as after a jump of the clock or
 * for an old id, is created by the insert that needs it.
 */
public final class DayKeeper {
  /** How many days after today have partitions. */
  static final int DAYS_AHEAD = 7;

  /** A day is removed when it has been over for so many days; until then it can still get rows. */
  static final int OVER_FOR_DAYS = 1;

  private static final System.Logger LOG = System.getLogger(DayKeeper.class.getName());

  private final DayPartitions partitions;
  private final TimeSource time;
  private @Nullable LocalDate keptOn;

  private DayKeeper(DayPartitions partitions, TimeSource time) {
    this.partitions = partitions;
    this.time = time;
  }

  /** Null on SQLite, which has no partitions. */
  public static @Nullable DayKeeper of(Database database, TimeSource time) {
    return database instanceof PostgresDatabase postgres
        ? new DayKeeper(postgres.days(), time)
        : null;
  }

  private LocalDate today() {
    return DayPartitions.dayOf(time.nowMs());
  }

  /** Before the first message: its insert should not have to wait for a partition. */
  public void createToday() {
    try {
      partitions.create(today(), 1);
    } catch (DatabaseUnavailable e) {
      LOG.log(Level.WARNING, "the partitions of today are created later: {0}", e.getMessage());
    }
  }

  /**
   * Once a day, and first after a start: creates the coming days, and continues removals that were
   * interrupted.
   */
  void keep() {
    LocalDate today = today();
    if (today.equals(keptOn)) {
      return;
    }
    partitions.create(today, DAYS_AHEAD + 1);
    for (Day day : partitions.days()) {
      if (!day.isAttached()) {
        partitions.remove(day.date());
      }
    }
    keptOn = today;
  }

  /** Removes the days of the past that are empty; returns how many. */
  int removeEmpty() {
    LocalDate before = today().minusDays(OVER_FOR_DAYS);
    int removed = 0;
    for (Day day : partitions.days()) {
      if (day.date().isBefore(before) && partitions.remove(day.date())) {
        removed++;
      }
    }
    return removed;
  }
}
