package dev.postrider.bench.crash;

import dev.postrider.bench.testbed.Storage;
import java.util.Locale;

/** The trials: each is one kind of fault on one kind of database. */
public enum Trial {
  SQLITE_KILL(Storage.SQLITE, "kills the server at random times and restarts it"),
  SQLITE_DRAIN(Storage.SQLITE, "stops the server with SIGTERM under load and restarts it"),
  SQLITE_FULL_DISK(Storage.SQLITE, "fills the disk, then frees space"),
  SQLITE_CLOCK(Storage.SQLITE, "sets the clock of the machine forward and back"),
  POSTGRES_KILL(Storage.POSTGRES, "kills the server at random times and restarts it"),
  POSTGRES_TWO(
      Storage.POSTGRES,
      "kills one of two instances and does not restart it; default heartbeat interval"),
  POSTGRES_RESTART(Storage.POSTGRES, "kills or stops PostgreSQL and restarts it"),
  POSTGRES_BACKENDS(Storage.POSTGRES, "terminates all connections to PostgreSQL several times"),
  POSTGRES_FREEZE(
      Storage.POSTGRES,
      "freezes one of two instances until the other considers it dead, then resumes it"),
  POSTGRES_CLOCK(
      Storage.POSTGRES, "two instances; sets their clocks forward or back by up to a day"),
  POSTGRES_DRAIN(
      Storage.POSTGRES, "stops one of two instances with SIGTERM under load and restarts it"),
  POSTGRES_MIXED(
      Storage.POSTGRES, "two instances; the other faults of PostgreSQL trials, in random order");

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
