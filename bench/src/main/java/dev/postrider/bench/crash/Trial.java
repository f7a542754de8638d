package dev.postrider.bench.crash;

import dev.postrider.bench.rig.Storage;
import java.util.Locale;

/** One kind of fault on one kind of database. */
public enum Trial {
  SQLITE_KILL(Storage.SQLITE, "the server killed at random points and restarted"),
  SQLITE_DRAIN(Storage.SQLITE, "the server asked to stop under load and restarted"),
  SQLITE_FULL_DISK(Storage.SQLITE, "the disk full, then freed"),
  SQLITE_CLOCK(Storage.SQLITE, "the clock of the machine set forward and back"),
  POSTGRES_KILL(Storage.POSTGRES, "the server killed at random points and restarted"),
  POSTGRES_TWO(Storage.POSTGRES, "two instances, one killed permanently; default heartbeats"),
  POSTGRES_RESTART(Storage.POSTGRES, "PostgreSQL killed or stopped, and restarted"),
  POSTGRES_BACKENDS(Storage.POSTGRES, "all connections terminated, again and again"),
  POSTGRES_FREEZE(Storage.POSTGRES, "two instances, one frozen past its death and resumed"),
  POSTGRES_CLOCK(
      Storage.POSTGRES, "two instances, the clocks of their machines set by up to a day"),
  POSTGRES_DRAIN(Storage.POSTGRES, "two instances, one asked to stop under load and restarted"),
  POSTGRES_MIXED(Storage.POSTGRES, "two instances, faults of all kinds in a random order");

  private final Storage storage;
  private final String title;

  Trial(Storage storage, String title) {
    this.storage = storage;
    this.title = title;
  }

  public Storage storage() {
    return storage;
  }

  public String title() {
    return title;
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
